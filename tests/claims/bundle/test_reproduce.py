"""reproduce.py, run as anybody would: alone, in an unzipped bundle."""


def test_every_bundle_reproduces_itself_with_the_standard_library_alone(any_life, unpacked, reproduce):
    folder = unpacked(any_life.parts())
    done = reproduce(folder)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (folder / "expected_output.txt").read_bytes()
