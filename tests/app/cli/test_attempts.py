"""`antedate show` counts the attempts, `antedate list` finds what was left lying."""

from datetime import timedelta

from sqlalchemy import text


def test_show_says_which_attempt_it_is(run, home, service, file_claim, judge_claim):
    first, second = file_claim(), file_claim()
    judge_claim(first, -0.5)
    family = service.client.get(f"/v1/claims/{second}/attempts").json()["families"][0]
    line = next(line for line in run("show", second).out.splitlines() if line.startswith("attempts: "))
    assert line.startswith(f"attempts: attempt {family['number']} of {family['of']} at recovery_gap_constructed: ")
    assert f"{family['outcomes']['refuted']} refuted" in line
    assert f"{family['outcomes']['undecided']} undecided" in line
    again = service.client.post(f"/v1/claims/{first}/reproduce", headers={"Authorization": f"Bearer {service.bob}"})
    shown = run("show", again.json()["claim"]).out
    assert f"attempts: measures again attempt {family['number'] - 1} of {family['of']} at" in shown


def test_list_finds_what_was_left_lying(run, home, service, file_claim):
    late, waiting = file_claim(), file_claim()
    with service.ledger.begin() as session:
        late_by = {"ago": timedelta(hours=73), "id": late}
        session.execute(text("UPDATE claims SET filed = filed - :ago WHERE id = :id"), late_by)
    overdue, in_time = (run("list", option, "--limit", "200").out for option in ("--overdue", "--no-overdue"))
    assert late in overdue
    assert waiting not in overdue
    bounded = run("list", "--filed-from", "2020-01-01", "--dataset", "planted_key_pairs", "--overdue", "--limit", "200")
    assert late in bounded.out
    assert run("list", "--estimate-min", "0.5", "--estimate-max", "0.4").out == ""
    assert "filed_from" in run("list", "--filed-from", "yesterday").err
    assert late not in in_time
    assert waiting in in_time
