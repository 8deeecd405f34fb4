"""The RO-Crate metadata, read by the `rocrate` library."""

import json

from rocrate.rocrate import ROCrate

from claims.bundle.reproduce.main import GENERATOR


def test_rocrate_finds_every_file_of_the_bundle_and_what_it_is(corrected_life, unpacked):
    folder = unpacked(corrected_life.parts())
    crate = ROCrate(str(folder))
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    described = {entity.id: entity for entity in crate.data_entities}
    assert set(described) == set(files) - {"ro-crate-metadata.json"}
    for name, entity in described.items():
        assert entity.type == "File"
        assert entity["name"]
        if name != "SHA256SUMS":
            assert int(entity["contentSize"]) == files[name].stat().st_size
    registration = json.loads((folder / "registration.json").read_bytes())
    assert (crate.name, crate.description) == (registration["title"], registration["statement"])
    assert crate.root_dataset["identifier"] == "bundledclaim0001"
    assert crate.root_dataset["author"]["name"] == "ada"
    assert crate.datePublished.isoformat() == "2026-12-01T12:00:12+00:00"
    assert crate.dereference("#generator")["version"] == GENERATOR
    assert crate.dereference("rows/bundledclaim0001-1.jsonl")["encodingFormat"] == "application/jsonl"


def test_it_is_the_same_however_often_it_is_read_and_written(any_life, unpacked, tmp_path):
    """What the library writes of it holds the same entities."""
    folder = unpacked(any_life.parts())
    ROCrate(str(folder)).write(str(tmp_path / "again"))
    graphs = [
        json.loads((where / "ro-crate-metadata.json").read_bytes())["@graph"] for where in (folder, tmp_path / "again")
    ]
    first, second = ({entity["@id"]: entity for entity in graph} for graph in graphs)
    assert first.keys() == second.keys()
    assert all(first[name].items() <= second[name].items() for name in first if name != "./")
