"""What is known of Lightning, `lightning.pytorch` or `pytorch_lightning`."""
