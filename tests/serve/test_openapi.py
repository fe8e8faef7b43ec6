"""Requests made up from the OpenAPI document: no fault of the server, and answers as described."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tilesolve.serve.request import Limits

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module", name="address")
def _address(served: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    with served(Limits(seconds=0.2, workers=2)) as address:
        yield address


def test_made_up_requests(address: str) -> None:
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    asked = 0
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()

        @settings(
            max_examples=2,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate(checks=CHECKS, timeout=60)

        ask()
        asked += 1
    assert asked > 80
