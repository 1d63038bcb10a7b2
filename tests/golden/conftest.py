"""The desk that all cases share, and the option that writes what is expected anew."""

from __future__ import annotations

import pytest
from goldens import Desk


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--renew-goldens", action="store_true", help="write what the commands print as what is expected"
    )


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("golden"))


@pytest.fixture(scope="session")
def renew(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--renew-goldens", default=False))
