"""The archive: the same bytes for the same parts, readable by anybody, and no other bytes read."""

import hashlib
import io
import random
import re
import struct
import subprocess
import zipfile
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claims.bundle import stored
from claims.bundle.archive import read, sha256_of
from claims.bundle.stored import InvalidBundleError, Member

ORDER = [
    "registration.json",
    "receipt.json",
    "evidence/bundledclaim0001-1.json",
    "rows/bundledclaim0001-1.jsonl",
    "entries.jsonl",
    "checkpoint",
    "log.vkey",
    "expected_output.txt",
    "reproduce.py",
    "ro-crate-metadata.json",
    "SHA256SUMS",
]
PINNED = {
    "corrected": "30e08c5c92da7426c7f61bcc38de12f2371c0b68033586dd0e1a975ad98e0409",
    "measured": "3bdbe6ff8178e2396715cd24595d2a6859522e9f9493fe92195b04d716779d17",
    "voided": "6f4d87c99ce0bdba70542fa0b6f5b59dbefde98a395d04468b0b99609868480c",
    "waiting": "080c1f5a07e0d628db24d20777933a1fd69419ede1330b884cfde3510d88eed2",
    "withdrawn": "ba83849fa16822b34804bb64091a6b53f48eca14ecb5bb39110e0d639ba0b05a",
}


def member(name: str, data: bytes) -> Member:
    return Member.of(name, lambda: (data,))


def stored_bytes(members: list[Member]) -> bytes:
    file = io.BytesIO()
    stored.write(members, file)
    return file.getvalue()


def members_of(bundle: bytes) -> list[Member]:
    return stored.read(io.BytesIO(bundle))


def content(found: Member) -> bytes:
    return b"".join(found.content())


def refusal(data: bytes) -> str:
    with pytest.raises(InvalidBundleError) as caught:
        read(io.BytesIO(data))
    return str(caught.value)


def with_sums(members: list[Member]) -> bytes:
    """The archive of these files with the sums that they have."""
    *others, sums = members
    lines = [f"{hashlib.sha256(content(each)).hexdigest()}  {each.name}\n" for each in others]
    return stored_bytes([*others, member(sums.name, "".join(lines).encode())])


def test_every_bundle_is_read_back_and_rebuilt_to_the_byte(any_life, build):
    bundle = build(any_life.parts())
    again = read(io.BytesIO(bundle))
    assert build(again) == bundle == build(any_life.parts())
    assert sha256_of(io.BytesIO(bundle)) == hashlib.sha256(bundle).hexdigest()


def test_others_read_it_as_files_of_a_fixed_order_date_and_mode(measured_life, build):
    with zipfile.ZipFile(io.BytesIO(build(measured_life.parts()))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ORDER
        for info in archive.infolist():
            assert (info.compress_type, info.date_time) == (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0))
            assert (info.external_attr >> 16, info.extra, info.comment) == (0o100644, b"", b"")
        assert archive.comment == b""


def test_sha256sum_agrees(corrected_life, unpacked):
    folder = unpacked(corrected_life.parts())
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b""), done.stdout
    listed = [line.split("  ")[1] for line in (folder / "SHA256SUMS").read_text().splitlines()]
    assert "evidence/bundledclaim0001-1.corrected-11.json" in listed
    assert "rows/bundledclaim0001-1.again.jsonl" in listed
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files == {*listed, "SHA256SUMS"}


@pytest.mark.parametrize("life", sorted(PINNED))
def test_the_bytes_of_this_generator_never_change(life, lives, build):
    found = hashlib.sha256(build(lives[life]().parts())).hexdigest()
    assert found == PINNED[life], (
        "The bundle of a fixed claim has other bytes than before: bundles that were cited by their SHA-256 would no "
        "longer come out. Keep the old generator, and give the new bytes a new GENERATOR version."
    )


def test_the_same_size_gives_the_same_bytes_however_much_follows(measured_life, build):
    size = len(measured_life.log.entries)
    before = build(measured_life.parts())
    measured_life.log.note(37)
    measured_life.log.append("superseded", {"by": "another000000000", "reason": "Newer."}, actor="ada")
    assert build(measured_life.parts(size)) == before
    assert build(measured_life.parts()) != before


def test_any_single_byte_changed_is_refused_and_named(measured_life, build):
    """Every 97th byte of each file, and every byte of the frame around them."""
    bundle, place = build(measured_life.parts()), 0
    draw = random.Random(5)

    def said(at: int) -> str:
        spoilt = bytearray(bundle)
        spoilt[at] ^= 1 << draw.randrange(8)
        return refusal(bytes(spoilt))

    for each in members_of(bundle):
        data = place + len(each.local_header)
        for at in range(place, data):
            words = said(at)
            found = re.match(r"byte (\d+): ", words)
            assert found, (at, words)
            # A name that is another is seen where the directory has the true one.
            renamed = at >= place + 30 and "the directory does not say of" in words
            assert renamed or place <= int(found[1]) < data, (at, words)
        for at in range(data, data + each.size, 97):
            assert said(at) == f"byte {place}: the {each.size} bytes of {each.name!r} are not those of its checksum"
        place = data + each.size
    for at in range(place, len(bundle)):
        assert re.match(r"byte \d+: (the directory|neither)", said(at))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_change_is_refused(measured_life, build, data):
    bundle = build(measured_life.parts())
    at = data.draw(st.integers(0, len(bundle)))
    removed = data.draw(st.integers(0, 5))
    spoilt = bundle[:at] + data.draw(st.binary(max_size=5)) + bundle[at + removed :]
    if spoilt == bundle:
        read(io.BytesIO(spoilt))
    else:
        assert refusal(spoilt)


@pytest.mark.parametrize("name", ORDER)
def test_a_file_changed_with_its_checksum_is_named(measured_life, build, name):
    members = members_of(build(measured_life.parts()))
    spoilt = [member(each.name, content(each)[:-2] + b" \n") if each.name == name else each for each in members]
    assert name in refusal(stored_bytes(spoilt))


@pytest.mark.parametrize("name", ["expected_output.txt", "reproduce.py", "ro-crate-metadata.json"])
def test_a_file_that_does_not_follow_from_the_rest_is_named_even_when_every_sum_is_true(measured_life, build, name):
    members = members_of(build(measured_life.parts()))
    spoilt = [member(each.name, content(each) + b"# more\n") if each.name == name else each for each in members]
    assert refusal(with_sums(spoilt)).startswith(name)


def test_other_files_and_another_order_are_refused(measured_life, build):
    members = members_of(build(measured_life.parts()))
    assert "names other files" in refusal(with_sums([member("more.txt", b"more"), *members]))
    assert "names other files" in refusal(with_sums([members[1], members[0], *members[2:]]))
    assert "ro-crate-metadata.json: it is missing" in refusal(stored_bytes([*members[:-2], members[-1]]))
    assert "the archive holds" in refusal(stored_bytes([member("../more.txt", b"more"), *members]))
    assert "the archive holds" in refusal(stored_bytes([members[1], members[0], *members[2:]]))
    assert "registration.json: it is missing" in refusal(stored_bytes(members[1:]))


def test_other_forms_of_the_same_archive_are_refused(measured_life, build):
    bundle = build(measured_life.parts())
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        other = io.BytesIO()
        with zipfile.ZipFile(other, "w", compression) as archive:
            for each in members_of(bundle):
                archive.writestr(each.name, content(each))
        assert "registration.json" in refusal(other.getvalue())
    assert refusal(bundle + b"\0").startswith(f"byte {len(bundle)}: ")
    assert refusal(b"\0" + bundle).startswith("byte 0: ")
    assert refusal(bundle[:-1]).startswith(f"byte {len(bundle) - 1}: ")
    commented = bundle[:-2] + struct.pack("<H", 3) + b"abc"
    assert refusal(commented).startswith(f"byte {len(bundle) - 2}: ")
    assert refusal(b"")


def test_names_that_repeat_are_neither_written_nor_read():
    twice = [member("one", b"1"), member("one", b"2")]
    with pytest.raises(ValueError, match="different names"):
        stored.write(twice, io.BytesIO())
    first, second = twice
    place = len(first.local_header) + 1
    central = first.central_header(0) + second.central_header(place)
    end = struct.pack("<IHHHHIIH", stored.END, 0, 0, 2, 2, len(central), 2 * place, 0)
    data = first.local_header + b"1" + second.local_header + b"2" + central + end
    with pytest.raises(InvalidBundleError, match="twice"):
        stored.read(io.BytesIO(data))


def test_more_files_than_the_form_counts_are_refused_by_name_and_at_once():
    data = b"".join(member(str(number), b"").local_header for number in range(stored.MOST_MEMBERS + 3))
    with pytest.raises(InvalidBundleError, match="more than 65534 files"):
        stored.read(io.BytesIO(data))


def test_what_changes_while_it_is_written_is_not_written_as_if_it_had_not():
    given_ = iter([(b"one",), (b"two",)])
    changing = Member.of("changing", lambda: next(given_))
    with pytest.raises(ValueError, match="changing changed"):
        stored.write([changing], io.BytesIO())


def test_what_would_need_the_64_bit_extension_is_refused():
    with pytest.raises(ValueError, match="4 GiB"):
        stored.write([Member("large", 2**32 - 1, 0, lambda: ())], io.BytesIO())


def test_rows_are_never_held(measured_life, build):
    """Rows come chunk by chunk, however they are cut, and are read again for every pass."""
    (run,) = measured_life.files["rows"]
    whole = b"".join(measured_life.files["rows"][run]())
    cut = [whole[start : start + 7] for start in range(0, len(whole), 7)]
    parts = replace(measured_life.parts(), rows={run: lambda: iter(cut)})
    assert build(parts) == build(measured_life.parts())


def test_parts_that_no_entry_calls_for_or_that_are_missing_are_refused(measured_life, build):
    parts = measured_life.parts()
    with pytest.raises(ValueError, match=r"evidence/bundledclaim0001-1\.json: it is missing"):
        build(replace(parts, evidence={}))
    with pytest.raises(ValueError, match=r"evidence/another00000-1\.json: no entry calls for it"):
        build(replace(parts, evidence={**parts.evidence, "another00000-1": b"{}"}))
    with pytest.raises(ValueError, match="begin with a registration"):
        build(replace(parts, entries=parts.entries[1:]))
