"""Requests generated from the OpenAPI document: no 5xx, no undocumented status, answers that match their schemas."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from rest_server import running_server
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from recollect import Recollect

EXAMPLES = 15
"""Valid and invalid requests per operation, each."""
BEYOND_A_SCHEMA = [positive_data_acceptance]
"""A schema can't say which days exist, which cursors are valid or which Idempotency-Key was used before."""

REFUSALS = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("generated") / "agent.db"
    with Recollect(path, embedder="hashing", namespace="acme") as mind, running_server(mind) as served:
        yield served


@pytest.fixture(scope="module")
def operations(server):
    config = SchemathesisConfig.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}})
    document = schemathesis.openapi.from_url(f"{server.url}/openapi.json", config=config)
    return [found.ok() for found in document.get_all_operations()]


def _try(operation, mode, key, **fixed):
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode, **fixed))
    def attempt(case):
        case.call_and_validate(headers={"Authorization": f"Bearer {key}"}, excluded_checks=BEYOND_A_SCHEMA)

    attempt()


def test_generated_requests_get_documented_answers(operations, server):
    for operation in operations:
        _try(operation, GenerationMode.POSITIVE, server.key())


def test_generated_requests_to_a_memory_that_is_there_get_documented_answers(operations, server):
    for operation in operations:
        if operation.path.startswith("/v1/memories/{id}"):
            made = server.ask("POST", "/v1/memories", {"text": f"to be changed {operation.label}"}).json
            _try(operation, GenerationMode.POSITIVE, server.key(), path_parameters={"id": made["id"]})


def test_generated_nonsense_is_refused_in_the_documented_way(operations, server):
    for operation in operations:
        if takes_something(operation):
            _try(operation, GenerationMode.NEGATIVE, server.key())


def takes_something(operation):
    """An operation without parameters and body has no invalid requests."""
    return bool(operation.body or operation.path_parameters or operation.query or operation.headers)


def test_the_document_holds_every_operation(operations):
    assert len(operations) == 60
