"""Long lists of metrics in a form that can be read: what was predicted first, and families of one name together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
_DIGITS = re.compile(r"(\d+)")
SMALL = 3  # members up to which a family is no longer than the word for it


@dataclass(frozen=True)
class Family(Generic[T]):
    """The members of `<name>.<member>`, in the order of people: layer 2 before layer 10."""

    name: str
    members: Sequence[tuple[str, T]]

    @property
    def only(self) -> T | None:
        """What all members have, where it is the same."""
        first = self.members[0][1]
        return first if all(value == first for _, value in self.members) else None


@dataclass(frozen=True)
class Grouped(Generic[T]):
    """`first` are the names asked for, `single` those of no family or of a small one, `families` the rest."""

    first: Sequence[tuple[str, T]]
    single: Sequence[tuple[str, T]]
    families: Sequence[Family[T]]

    @property
    def total(self) -> int:
        return len(self.first) + len(self.single) + sum(len(family.members) for family in self.families)


def grouped(values: Mapping[str, T], first: Collection[str] = ()) -> Grouped[T]:
    """Every value of `values` once; names of `first` in the order given, the others in that of people."""
    asked = [name for name in dict.fromkeys(first) if name in values]
    found: defaultdict[str, list[tuple[str, T]]] = defaultdict(list)
    whole = []
    for name in sorted(values.keys() - set(asked), key=_natural):
        family, _, member = name.partition(".")
        if member:
            found[family].append((member, values[name]))
        else:
            whole.append(name)
    small = {family for family, members in found.items() if len(members) <= SMALL}
    alone = [*whole, *(f"{family}.{member}" for family in small for member, _ in found[family])]
    return Grouped(
        first=[(name, values[name]) for name in asked],
        single=[(name, values[name]) for name in sorted(alone, key=_natural)],
        families=[Family(family, members) for family, members in found.items() if family not in small],
    )


def _natural(name: str) -> list[tuple[int, str]]:
    """Digits by their number: `head_L2_H10` after `head_L2_H9`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(name)]
