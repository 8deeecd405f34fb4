import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from claims import checkpoint, signed_note
from claims.checkpoint import Checkpoint
from claims.merkle import EMPTY_ROOT
from claims.signed_note import InvalidNoteError

KEY, OTHER = Ed25519PrivateKey.from_private_bytes(b"1" * 32), Ed25519PrivateKey.from_private_bytes(b"2" * 32)
NAME = "antedate/main"
VKEY = signed_note.vkey(NAME, KEY.public_key())
HEAD = Checkpoint(NAME, 20_852_163, bytes(range(32)))
ROOT = base64.b64encode(HEAD.root).decode()
NOTE = checkpoint.sign(HEAD, NAME, KEY)
# The example of C2SP tlog-checkpoint, whose log's key is not published.
SPECIFIED = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE"
    "+xeMcTOAYQ8=\n"
)
# A checkpoint of transparency.dev's staging log, as its key signed it.
REAL_VKEY = "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
REAL = (
    "arche2025h1.staging.ct.transparency.dev\n1432088532\nU7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=\n\n"
    "— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkp"
    "tQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=\n"
    "— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g"
    "8Ei59RA23oHP7Ry1k3ZFWwQ=\n"
)


def test_the_example_of_the_specification():
    found = checkpoint.parse(SPECIFIED)
    assert (found.origin, found.size) == ("example.com/behind-the-sofa", 20_852_163)
    assert found.root.hex() == "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62"
    assert checkpoint.body(found) == SPECIFIED.partition("\n\n")[0] + "\n"


def test_a_checkpoint_of_another_log_in_the_wild():
    """It carries two signatures under one name, and the other is of a type that is not ours."""
    found = checkpoint.verify(REAL, REAL_VKEY)
    assert (found.origin, found.size) == (REAL_VKEY.partition("+")[0], 1_432_088_532)
    with pytest.raises(InvalidNoteError, match="does not hold"):
        checkpoint.verify(REAL.replace("1432088532", "1432088533"), REAL_VKEY)


def test_what_is_signed_in_letters():
    assert checkpoint.body(HEAD) == f"{NAME}\n20852163\n{ROOT}\n"
    assert NOTE.startswith(f"{NAME}\n20852163\n{ROOT}\n\n— {NAME} ")
    assert NOTE.count("\n") == 5
    assert checkpoint.verify(NOTE, VKEY) == checkpoint.parse(NOTE) == HEAD


@given(
    st.integers(0, 2**63 - 1),
    st.binary(min_size=32, max_size=32),
    st.lists(st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cs"]), min_size=1), max_size=3),
)
def test_what_is_signed_is_read_back(size, root, extensions):
    head = Checkpoint(NAME, size, root, tuple(extensions))
    note = checkpoint.sign(head, NAME, KEY)
    assert checkpoint.verify(note, VKEY) == checkpoint.parse(note) == head


def test_extension_lines_are_kept_and_signed():
    note = checkpoint.sign(Checkpoint(NAME, 5, HEAD.root, ("one two", "— three")), NAME, KEY)
    assert checkpoint.verify(note, VKEY).extensions == ("one two", "— three")
    with pytest.raises(InvalidNoteError, match="does not hold"):
        checkpoint.verify(note.replace("one two\n", ""), VKEY)


def test_the_empty_tree():
    note = checkpoint.sign(Checkpoint(NAME, 0, EMPTY_ROOT), NAME, KEY)
    assert note.split("\n")[1] == "0"
    assert checkpoint.verify(note, VKEY).size == 0


def test_signatures_of_others_beside():
    cosigned = NOTE + checkpoint.sign(HEAD, "witness", OTHER).rpartition("\n\n")[2]
    assert checkpoint.verify(cosigned, VKEY) == HEAD


@pytest.mark.parametrize(
    "text",
    [
        f"{NAME}\n5\n",
        f"{NAME}\n\n5\n{ROOT}\n",
        f"\n5\n{ROOT}\n",
        f"{NAME}\n5\n{ROOT}\nextension\n\nextension\n",
        *(
            f"{NAME}\n{size}\n{ROOT}\n"
            for size in ("05", "00", "-1", "+1", "1.0", "1e3", "0x5", " 5", "5 ", "\u0665", "five")
        ),
        *(f"{NAME}\n{size}\n{ROOT}\n" for size in ("1_000", "9" * 20, "9" * 5000)),
        *(
            f"{NAME}\n5\n{root}\n"
            for root in (HEAD.root.hex(), ROOT[:-1], ROOT + "=", ROOT[:-4], f" {ROOT}", f"{ROOT} ")
        ),
        f"{NAME}\n5\n{base64.b64encode(HEAD.root[:31]).decode()}\n",
        f"{NAME}\n5\n{base64.b64encode(HEAD.root + b'0').decode()}\n",
        f"{NAME}\n5\n{'_' * 42 + '8='}\n",
        f"{NAME}\n5\n{ROOT[:-2]}9=\n",  # spare bits set: decodes to the same bytes
        f"{NAME}\n5\n{ROOT[:-1]}é\n",
    ],
)
def test_signed_notes_that_are_no_checkpoints(text):
    note = signed_note.sign(text, NAME, KEY)
    assert signed_note.verify(note, VKEY) == text
    for read in (checkpoint.parse, lambda refused: checkpoint.verify(refused, VKEY)):
        with pytest.raises(InvalidNoteError):
            read(note)


@pytest.mark.parametrize(
    "note",
    [
        *("", "\n", "\n\n", NOTE[:-1], NOTE.partition("\n\n")[0], NOTE.partition("\n\n")[0] + "\n\n"),
        NOTE.replace("\n", "\r\n"),
        NOTE.replace("\n\n", "\n"),
        NOTE.replace("— ", "- "),
        NOTE.replace("main\n2", "ma\0in\n2"),
        NOTE.replace(f"{NAME}\n2", f"{NAME}\ud800\n2"),
        NOTE + "\n",
        NOTE + "more\n",
        NOTE + f"— {NAME} AAAA\n",
        NOTE + "— na\tme AAAAAAAAAAAA\n",
        NOTE + "— na\0me AAAAAAAAAAAA\n",
    ],
)
def test_what_is_no_note_is_no_checkpoint(note):
    for read in (checkpoint.parse, lambda refused: checkpoint.verify(refused, VKEY)):
        with pytest.raises(InvalidNoteError):
            read(note)


def test_any_change_of_a_byte_is_noticed():
    note = NOTE.encode()
    for index in range(len(note)):
        for flipped in (note[index] ^ 1, note[index] ^ 0x80):
            with pytest.raises((InvalidNoteError, UnicodeDecodeError)):
                checkpoint.verify((note[:index] + bytes([flipped]) + note[index + 1 :]).decode(), VKEY)


def test_a_head_of_one_log_is_not_one_of_another():
    with pytest.raises(InvalidNoteError, match="is of the log antedate/main, and the checkpoint of antedate/other"):
        checkpoint.verify(checkpoint.sign(Checkpoint("antedate/other", 5, HEAD.root), NAME, KEY), VKEY)
    with pytest.raises(InvalidNoteError, match="0 signatures"):
        checkpoint.verify(NOTE, signed_note.vkey(NAME, OTHER.public_key()))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"origin": ""}, "are lines"),
        ({"origin": "two\nlines"}, "are lines"),
        ({"extensions": ("",)}, "are lines"),
        ({"extensions": ("good", "bad\n")}, "are lines"),
        ({"size": -1}, "no size"),
        ({"size": 10**19}, "no size"),
        ({"root": b""}, "32 bytes, not 0"),
        ({"root": HEAD.root + b"0"}, "32 bytes, not 33"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(changed, why):
    with pytest.raises(InvalidNoteError, match=why):
        Checkpoint(**({"origin": NAME, "size": 5, "root": HEAD.root} | changed))


@pytest.mark.parametrize("origin", ["nul\0", "half \ud800 a pair"])
def test_what_no_note_may_hold_is_not_signed(origin):
    with pytest.raises(InvalidNoteError):
        checkpoint.sign(Checkpoint(origin, 5, HEAD.root), NAME, KEY)
