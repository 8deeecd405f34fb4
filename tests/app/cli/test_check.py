"""`antedate check` against a real service."""

import json

import httpx
import pytest

ASSUMED = {
    "recovery_gap_constructed": {"value": 0.1, "sd": 0.2, "source": "the pilot of the recipe"},
    "patching_recovery_auc_constructed": {"value": 0.8, "sd": 0.1, "source": "the pilot of the recipe"},
}


def test_a_design_is_told_and_not_filed(run, home, yaml_file, service):
    before = service.entries()
    done = run("check", str(yaml_file(assumptions=ASSUMED)))
    assert done.code == 0, done.err
    assert service.entries() == before
    said = run("check", str(yaml_file(assumptions=ASSUMED)), "--json").json["check"]
    first, gap, auc = said["hypotheses"]
    assert "recovery_gap_constructed > 0" in done.out
    assert f"{first['power']:.0%}" in done.out
    assert f"{first['detectable']['value']:g} ({first['detectable']['effect']:g} away)" in done.out
    assert "H1: 16 of the 24 organisms: as few as K1 lets pass" in done.out
    assert f"H2: {gap['note']}" in done.out
    assert "precedence: committed: " in done.out
    assert "cost: " in done.out
    assert "in 24 shards; queue cpu, " in done.out
    assert "warning: POWER /hypotheses/0: H1: at 0.1, as assumed, " in done.out
    assert (gap["power"], auc["power"]) == (None, 1.0)


def test_many_warnings_of_a_kind_are_one_line_that_names_them_all(run, home, yaml_file):
    one = {"statement": "s", "primary": False, "metric": "recovery_gap_constructed"}
    edge = {"op": ">", "value": 0.09}
    hypotheses = [{**one, "id": f"H{n}", "predict": edge, "primary": n == 1} for n in range(1, 31)]
    path = str(
        yaml_file(hypotheses=hypotheses, assumptions={"recovery_gap_constructed": ASSUMED["recovery_gap_constructed"]})
    )
    done = run("check", path)
    (line,) = (line for line in done.out.splitlines() if line.startswith("warning: POWER"))
    assert f"POWER of 30 ({', '.join(f'H{n}' for n in range(1, 31))}): " in line
    assert "The first: H1: at 0.1, as assumed, " in line
    warnings = run("check", path, "--json").json["check"]["warnings"]
    assert sum(warning["code"] == "POWER" for warning in warnings) == 30


def test_flaws_are_refused_as_filing_refuses_them(run, home, yaml_file):
    done = run("check", str(yaml_file(hypotheses=[])))
    assert done.code == 4
    assert "/hypotheses" in done.err
    assert done.out == ""


def test_many_flaws_that_say_the_same_are_one_line_with_every_place(run, home, yaml_file, listening, service):
    one = {"statement": "s", "primary": False, "predict": {"op": ">", "value": 0.1}}
    named = {9: "recovery_gap", 12: "nonsense"}
    hypotheses = [{**one, "id": f"H{n}", "metric": named.get(n, "recovery"), "primary": n == 9} for n in range(40)]
    path = yaml_file(hypotheses=hypotheses)
    done = run("check", str(path))
    assert (done.code, run("file", str(path)).err) == (4, done.err)
    told = [line for line in done.err.splitlines() if line.startswith("  /hypotheses/")]
    places = ["/hypotheses/0-8,10,11,13-39/metric (38 places)", "/hypotheses/12/metric"]
    assert [line.partition(": ")[0].strip() for line in told] == places
    assert all("does not produce" in line and "Use one of" in line for line in told)
    asked = {"json": json.loads(path.read_text()), "headers": {"Authorization": f"Bearer {service.ada}"}}
    errors = httpx.post(f"{listening}/v1/predictions:check", **asked).json()["errors"]
    assert [flaw["pointer"] for flaw in errors] == [f"/hypotheses/{n}/metric" for n in range(40) if n != 9]


def test_what_is_filed_already_is_said(run, home, yaml_file, listening):
    path = str(yaml_file())
    claim = run("file", path, "--json").json["claim"]
    assert f"already filed: {listening}/claims/{claim}" in run("check", path).out


def test_filing_tells_the_chances_in_short(run, home, yaml_file):
    done = run("file", str(yaml_file(assumptions=ASSUMED)))
    assert "chances: confirmed " in done.out
    assert "undecided" in done.out
    assert "warning: POWER /hypotheses/0: H1: at 0.1, as assumed, " in done.out
    assert "chances: " not in run("file", str(yaml_file())).out


@pytest.mark.parametrize("content", ['{"schema": "antedate.import/1"}'])
def test_a_record_has_no_design(run, home, tmp_path, content):
    path = tmp_path / "record.json"
    path.write_text(content)
    assert run("check", str(path)).code == 2
