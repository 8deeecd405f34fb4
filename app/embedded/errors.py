from pathlib import Path


class EmbeddedError(Exception):
    """The embedded stack cannot do what was asked; the text says what is wrong and what to do."""


class DirectoryInUseError(EmbeddedError):
    def __init__(self, directory: Path, holder: int | None) -> None:
        who = f"process {holder}" if holder else "another process"
        super().__init__(
            f"{directory} is in use by {who}: stop that first, "
            "or set ANTEDATE_DATA to another directory to start a second stack"
        )
        self.holder = holder


class ServiceFailedError(EmbeddedError):
    def __init__(self, name: str, reason: str, log: Path, tail: str) -> None:
        super().__init__(
            f"{name}: {reason}; the end of {log}:\n{tail}" if tail else f"{name}: {reason}; {log} is empty"
        )
