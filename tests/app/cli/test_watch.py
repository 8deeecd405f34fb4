"""Following a claim: what is printed on the way, and the exit code of each outcome."""

import json
import threading
from collections.abc import Callable

import pytest

from app.cli.progress import follow
from app.cli.service import Service
from app.cli.voids import void_line


@pytest.mark.parametrize(
    ("value", "word", "code"), [(0.7, "confirmed", 0), (-0.3, "refuted", 10), (0.0, "inconclusive", 11)]
)
@pytest.mark.usefixtures("home")
def test_the_outcome_is_the_exit_code(run, file_claim, judge_claim, value, word, code):  # noqa: PLR0917
    claim = file_claim()
    judge_claim(claim, value)
    done = run("watch", claim)
    assert done.code == code
    assert f"status: {word}" in done.out
    assert f"{value:.6g} [{value - 0.05:.6g}, {value + 0.05:.6g}]" in done.out
    assert "abab+dirty" in done.out
    asked = run("watch", claim, "--json")
    assert (asked.code, asked.json["status"]) == (code, word)


def test_void(run, home, file_claim, judge_claim):
    claim = file_claim()
    judge_claim(claim, 0.7, organisms_governed=1.0)
    done = run("watch", claim)
    assert done.code == 12
    assert "void: kill_criterion: K1 (" in done.out
    assert " fires at organisms_governed < 16, and 1 was measured. " in done.out


def test_a_failed_control_is_told_with_what_was_asked_and_found(run, home, file_claim, judge_claim):
    claim = file_claim()
    judge_claim(claim, 0.7, organism_accuracy=0.5)
    told = "void: failed_control: the positive control asks for organism_accuracy >= 0.9, and 0.5 was measured. "
    assert told in run("show", claim).out
    assert told in run("watch", claim).out


def test_a_control_that_was_not_measured_is_told_so():
    figures = {"control": "negative", "metric": "auroc", "measured": None, "op": "<", "value": 0.6}
    void = {"reason": "failed_control", "hypothesis": None, "figures": figures, "remedy": "Look."}
    told = "failed_control: the negative control asks for auroc < 0.6, and it was not measured. Look."
    assert void_line(void) == told


def test_a_void_of_a_hypothesis_names_it_and_its_figures():
    void = {"reason": "metric_absent", "hypothesis": "H2", "figures": {"not_measured": "Too few."}, "remedy": "Look."}
    assert void_line(void) == "metric_absent of H2: not_measured Too few. Look."


def test_withdrawn(run, home, file_claim, service):
    claim = file_claim()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {service.ada}"}
    service.client.post(f"/v1/claims/{claim}/withdraw", content=json.dumps({"reason": "x"}), headers=headers)
    assert run("watch", claim).code == 13


@pytest.mark.usefixtures("home")
def test_file_and_watch(run, yaml_file, judge_claim, service, eventually):
    """The verdict comes while the command waits."""
    before = service.claims()

    def judge() -> None:
        eventually(lambda: service.claims() > before)
        newest = service.client.get("/v1/claims?limit=1").json()["items"][0]["id"]
        judge_claim(newest, -0.3)

    worker = threading.Thread(target=judge)
    worker.start()
    done = run("file", str(yaml_file()), "--watch", "--json")
    worker.join()
    assert done.code == 10
    assert done.json["status"] == "refuted"


class Recorder:
    """A console that is no terminal, and keeps what is printed; `end` is called once a line says that it runs."""

    def __init__(self, end: Callable[[], None]) -> None:
        from rich.console import Console

        self.console = Console(file=self, width=80)
        self.text = ""
        self.end = end

    def write(self, text: str) -> None:
        before, self.text = self.text, self.text + text
        if "running" in self.text and "running" not in before:
            self.end()

    def flush(self) -> None:
        pass


def test_progress_is_told_in_lines_where_there_is_no_terminal(listening, file_claim, open_claim, service):
    claim = file_claim()
    open_claim(claim)
    recorder = Recorder(lambda: judge_now(service, claim))
    with Service(listening) as client:
        assert follow(client, claim, recorder.console)["status"] == "void"
    assert "running: 1/" in recorder.text
    assert "rows/s" in recorder.text
    assert "left" in recorder.text


def judge_now(service, claim) -> None:
    from app.ledger.judging import record_void
    from app.ledger.runs import hold

    with service.ledger.begin() as session:
        record_void(session, hold(session, f"{claim}-1"), "worker_lost", {})
