"""`antedate lint` against a real service: drift, records that do not stand, files that cannot be read."""

import itertools
from pathlib import Path

import pytest

from claims.bundle import archive
from claims.registration.yaml_form import read_yaml
from tests.claims.verifying.story import CLAIM, honest_story

EXAMPLES = Path(__file__).parents[3] / "examples"
NUMBERS = itertools.count(1)


@pytest.fixture
def paper(tmp_path):
    """`paper(text, name="paper.md")`: a file of that text, by its name for the command."""

    def written(text, name="paper.md"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return written


@pytest.fixture
def supersede(service, file_claim):
    """`supersede(claim)`: another claim replaces it; its id."""

    def superseded(claim):
        other = file_claim()
        answer = service.client.post(
            f"/v1/claims/{claim}/supersede",
            json={"by": other, "reason": "A better recipe."},
            headers={"Authorization": f"Bearer {service.ada}"},
        )
        assert answer.is_success, answer.text
        return other

    return superseded


@pytest.fixture
def refuted(file_claim, judge_claim):
    claim = file_claim()
    judge_claim(claim, -0.5660)
    return claim


@pytest.fixture
def confirmed(file_claim, judge_claim):
    claim = file_claim()
    judge_claim(claim, 0.5660)
    return claim


GAP = "recovery_gap_constructed"


def test_what_is_quoted_as_it_is_passes(run, home, paper, refuted, confirmed):
    file = paper(
        f"The gap is **-0.57** <!-- [[claim:{refuted} metric={GAP} status=refuted]] -->,\n"
        f"[-0.616 <!-- [[claim:{refuted} metric={GAP} field=lo status=refuted]] -->, …].\n"
        f"Elsewhere 56.6% [[claim:{confirmed} metric={GAP}]]\n"
    )
    done = run("lint", file)
    assert done.code == 0, done.out
    assert done.out.count(": ok [") == 3
    assert f"{file}:1:27: ok" in done.out
    assert "3 tags in 1 file: 3 right, 0 wrong" in done.out


def test_drift_is_told_with_what_to_write(run, home, paper, confirmed):
    file = paper(f"It is 0.58 [[claim:{confirmed} metric={GAP}]] now.")
    done = run("lint", file)
    assert done.code == 6
    assert f"{file}:1:12: FAILED: 0.58 is not estimate 0.566 to the decimals written: write 0.57" in done.out
    assert "Traceback" not in done.err


def test_a_refutation_is_not_quoted_as_standing(run, home, paper, refuted):
    done = run("lint", paper(f"-0.57 [[claim:{refuted} metric={GAP}]]"))
    assert done.code == 6
    assert "write status=refuted" in done.out


def test_a_superseded_claim_is_told_with_what_replaced_it(run, home, paper, confirmed, supersede):
    other = supersede(confirmed)
    text = f"0.57 [[claim:{confirmed} metric={GAP}]]"
    done = run("lint", paper(text))
    assert done.code == 6
    assert f"superseded by {other}" in done.out
    assert run("lint", paper(text.replace("]]", " status=confirmed,superseded]]"))).code == 0


def test_unknown_claims_and_metrics_and_tags_that_cannot_be_read(run, home, paper, confirmed, file_claim):
    waiting = file_claim()
    done = run(
        "lint",
        paper(
            f"1 [[claim:{'a' * 16} metric={GAP}]]\n1 [[claim:{confirmed} metric=speed]]\n1 [[claim:{confirmed}]]\n"
            f"1 [[claim:{waiting} metric={GAP}]]\n"
        ),
        "--json",
    )
    assert done.code == 6
    flaws = [" ".join(tag["flaws"]) for tag in done.json["tags"]]
    for flaw, says in zip(flaws, ["no claim", "no metric speed", "lacks metric", "registered"], strict=True):
        assert says in flaw
    assert done.json["wrong"] == 4
    assert [tag["line"] for tag in done.json["tags"]] == [1, 2, 3, 4]


def test_latex_comments(run, home, paper, confirmed):
    text = f"a gap of $0.57$% [[claim:{confirmed} metric={GAP}]]\n56.6\\% % [[claim:{confirmed} metric={GAP}]]\n"
    assert run("lint", paper(text, "paper.tex")).code == 0
    assert run("lint", paper(text, "paper.md")).code == 6


def test_without_tags_nothing_is_asked_and_nothing_is_wrong(run, paper):
    file = paper("Nothing quoted.")
    done = run("lint", file, ANTEDATE_URL="http://127.0.0.1:1")
    assert (done.code, done.out) == (0, f"{file}: no tags\n0 tags in 1 file: 0 right, 0 wrong\n")
    assert run("lint", file, "--json").json == {"tags": [], "files": 1, "wrong": 0}


def test_a_service_that_is_not_there(run, paper):
    text = f"1 [[claim:{'a' * 16} metric={GAP}]]"
    assert run("lint", paper(text), ANTEDATE_URL="http://127.0.0.1:1").code == 3


@pytest.mark.parametrize(
    ("content", "says"), [(b"\x00\x01", "no text"), (b"caf\xe9", "not UTF-8, from byte 4"), (None, "No such file")]
)
def test_files_that_cannot_be_read(run, paper, tmp_path, content, says):
    file = str(tmp_path / "absent.md") if content is None else paper(content)
    done = run("lint", file, ANTEDATE_URL="http://127.0.0.1:1")
    assert done.code == 2
    assert says in done.err
    assert run("lint", str(tmp_path)).code == 2


def test_a_file_that_is_too_large(run, paper, monkeypatch):
    monkeypatch.setattr("app.cli.lint.LARGEST", 1024 * 1024)
    done = run("lint", paper("x" * (1024 * 1024 + 1)))
    assert done.code == 2
    assert "larger than 1 MiB" in done.err


@pytest.fixture
def published(service):
    """The id of the seed's record as imported."""
    record = read_yaml((EXAMPLES / "imports" / "planted_key.yaml").read_bytes())
    record["title"] = f"For the linter {next(NUMBERS)}"
    headers = {"Authorization": f"Bearer {service.ada}"}
    answer = service.client.post("/v1/imports", json=record, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def test_an_import_is_quoted_as_what_it_is(run, home, paper, published):
    text = (
        f"-0.566 [[import:{published} metric=recovery_gap]]\n-0.43 [[import:{published} metric=recovery_gap field=hi]]"
    )
    done = run("lint", paper(text))
    assert done.code == 6
    assert done.out.count("write status=refuted") == 2
    assert run("lint", paper(text.replace("]]", " status=refuted]]"))).code == 0


def test_a_figure_without_an_interval_has_no_bounds(run, home, paper, published):
    done = run("lint", paper(f"1 [[import:{published} metric=attribution_recovery_auc field=lo status=refuted]]"))
    assert "no interval is recorded of it" in done.out
    assert "no import" in run("lint", paper(f"1 [[import:{'a' * 16} metric=gap]]")).out


@pytest.fixture
def bundles(tmp_path):
    """`bundles(story, name)`: a story's bundle in the directory of bundles."""
    directory = tmp_path / "bundles"
    directory.mkdir()

    def written(story, name="one.zip"):
        with (directory / name).open("w+b") as file:
            archive.write(story.parts(), file)
        return str(directory)

    return written


def test_offline_against_bundles(run, paper, bundles):
    story = honest_story()
    judged = story.verdict["hypotheses"][0]
    status = story.verdict["status"]
    text = f"{judged['estimate']:.3f} [[claim:{CLAIM} metric={GAP} status={status}]]"
    done = run("lint", paper(text), "--bundles", bundles(story), ANTEDATE_URL="http://127.0.0.1:1")
    assert done.code == 0, done.out
    assert f"{status}, as of 9 entries of antedate/tests]" in done.out
    assert run("lint", paper("1" + text), "--bundles", bundles(story)).code == 6
    other = f"1 [[claim:{'a' * 16} metric={GAP}]] 1 [[import:{CLAIM} metric={GAP}]]"
    done = run("lint", paper(other), "--bundles", bundles(story))
    assert "no claim" in done.out
    assert "no import" in done.out


def test_of_two_bundles_of_a_claim_the_later_counts(run, paper, bundles):
    story = honest_story()
    story.more.append(("superseded", "ada", {"by": "b" * 16, "reason": "A better recipe."}))
    bundles(story, "a.zip")
    text = f"{story.verdict['hypotheses'][0]['estimate']:.3f} [[claim:{CLAIM} metric={GAP}]]"
    done = run("lint", paper(text), "--bundles", bundles(honest_story(), "b.zip"))
    assert done.code == 6
    assert f"superseded by {'b' * 16}" in done.out


def test_a_directory_without_bundles_or_with_something_else(run, paper, tmp_path, bundles):
    file = paper(f"1 [[claim:{'a' * 16} metric={GAP}]]")
    (tmp_path / "empty").mkdir()
    assert "holds no bundle" in run("lint", file, "--bundles", str(tmp_path / "empty")).err
    directory = bundles(honest_story())
    (tmp_path / "bundles" / "x.zip").write_bytes(b"PK")
    done = run("lint", file, "--bundles", directory)
    assert done.code == 2
    assert "x.zip is no bundle" in done.err
