"""Looks into a segmentation while it trains."""

from .masks import MaskWatch

__all__ = ["MaskWatch"]
