from app.cli.errors import RefusedError


def test_a_failure_of_the_service_is_told_with_the_id_that_the_operator_needs():
    problem = {"type": "/problems/internal_error", "title": "The service failed", "remedy": "Give it."}
    assert str(RefusedError(500, {**problem, "id": "8e44755220c665e7"})).endswith("\n  id: 8e44755220c665e7")
    assert "id:" not in str(RefusedError(404, {**problem, "type": "/problems/not_found"}))
