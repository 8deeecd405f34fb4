from __future__ import annotations

from dataclasses import replace

from app.pages.claim.citation import citation
from app.pages.claim.facts import commit, fact_groups, said
from app.pages.claim.sureness import method_facts
from app.pages.claim.timeline import timeline
from claims.entries import Entry


def facts(record) -> dict[str, tuple[str, str, str]]:
    return {fact.term: (fact.value, fact.full, fact.note) for group in fact_groups(record) for fact in group.facts}


def test_a_commit_is_short_with_its_flag_and_whole_on_demand():
    known = commit("Commit", "0123456789abcdef0123456789abcdef01234567", "dirty")
    assert (known.value, known.full) == ("0123456789ab+dirty", "0123456789abcdef0123456789abcdef01234567+dirty")
    assert commit("Commit", "f" * 40, "unknown").value == "ffffffffffff+unknown"
    assert commit("Commit", "f" * 40, "clean").value == "ffffffffffff"


def test_facts_of_a_measured_claim(refuted):
    shown = facts(refuted)
    assert shown["Commit at run"][0] == "0123456789ab+dirty"
    assert shown["Instrument source at run"][2] == "as frozen"
    assert shown["Nonce revealed"][1] == bytes(range(32)).hex()
    assert shown["Public beacon"][0] == "none"
    assert shown["Forwards"][0] == "21\u202f120"
    assert shown["Memory"][0] == "297 MiB"
    assert shown["Packages"][0] == "numpy 2.4.6, scipy 1.17.1, torch 2.13.0"


def test_layers_evaluated_are_told_beside_their_floor(refuted):
    cost = {"token_layers": 1100.0, "token_layers_floor": 1000.0, "peak_memory_bytes": 2.0**30}
    shown = facts(replace(refuted, evidence=refuted.evidence.model_copy(update={"cost": cost})))
    assert shown["Token layers"][0] == "1\u202f100"
    assert "1.100 times the floor, 1\u202f000" in shown["Token layers"][2]
    assert shown["Peak memory"][0] == "1 GiB"
    assert "Token layers floor" not in shown


def test_a_grid_whose_components_have_clusters_of_their_own_is_told_as_a_range(refuted):
    one = next(iter(refuted.evidence.estimates.values()))
    changed = {f"moves.mlp_L{n}": one.model_copy(update={"n": n, "n_effective": n / 2}) for n in (8, 12, 20)}
    record = replace(refuted, evidence=refuted.evidence.model_copy(update={"estimates": changed}))
    shown = {fact.term: fact.value for fact in method_facts(record)}
    assert shown["Measured"] == "8 to 20 organisms (worth 4.0 to 10.0)"


def test_another_commit_at_the_run_is_called_drifted(refuted):
    provenance = refuted.evidence.provenance.model_copy(
        update={"commit": "f" * 40, "instrument_source_sha256": "0" * 64}
    )
    drifted = facts(
        refuted.__class__(
            **{**vars(refuted), "evidence": refuted.evidence.model_copy(update={"provenance": provenance})}
        )
    )
    assert drifted["Commit at run"] == (
        "ffffffffffff+dirty",
        "f" * 40 + "+dirty",
        "drifted: another commit than at freeze",
    )
    assert drifted["Instrument source at run"][2] == "not as frozen"


def test_nothing_is_said_of_a_measurement_that_has_not_been(running):
    shown = facts(running)
    assert "Device" not in shown
    assert "Commit at run" not in shown
    assert shown["Nonce committed"][2] == "SHA-256, in the receipt"


def test_nested_figures_are_put_into_words():
    assert (
        said({"name": "a", "params": {"size": 3, "share": 1 / 3, "on": True}})
        == "name a, params size 3, share 0.333, on yes"
    )


def test_the_timeline_tells_what_was_and_what_is_awaited(refuted, running):
    told = timeline(refuted.entries)
    assert [moment.name for moment in told] == ["Frozen", "Opened", "Measured", "Judged"]
    assert [moment.after for moment in told] == ["", "1.9 s later", "42 s later", "at once"]
    awaited = timeline(running.entries)
    assert [(moment.name, moment.time is None) for moment in awaited] == [
        ("Frozen", False), ("Opened", False), ("Measured", True), ("Judged", True),
    ]  # fmt: skip


def test_a_withdrawn_claim_awaits_nothing(running):
    filed = running.entries[0]
    withdrawn = Entry(9, "withdrawn", filed.claim, "ada", filed.time, {"reason": "Filed twice."})
    assert [moment.name for moment in timeline([filed, withdrawn])] == ["Frozen", "Withdrawn"]


def test_bibtex_keeps_titles_with_special_characters_whole(refuted):
    cited = citation(
        claim="k3v9q2m7xw4t", title=r"50 % of {a_b} \input & more", registrant="ada", filed=refuted.entries[0].time,
        status="refuted", sha256="ab" * 32, url="http://ledger.test/claims/k3v9q2m7xw4t",
    )  # fmt: skip
    assert r"title = {{50 \% of \textbraceleft{}a\_b\textbraceright{} \textbackslash{}input \& more}}" in cited.bibtex
    assert cited.bibtex.count("{") == cited.bibtex.count("}")
    assert cited.line.startswith("ada (2026).")
    assert "refuted" in cited.line
