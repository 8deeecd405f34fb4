"""The source of `reproduce.py`: its parts, which `claims.bundle.script` joins to one file.

Every part runs on Python 3.10 with the standard library alone, and imports nothing but that and other parts, by
`from claims.bundle.reproduce.<part> import <names>`. Top-level names are unique over all parts that go into one file.
"""
