"""What families with rotary and causal attention share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from torch import Tensor, nn

from workers.models.anatomy import Block, Project, Projected, Rotation, Rotations
from workers.refusals import RefusalError

# Types whose angles depend on a token's position alone; of others, on the length of the text it stands in.
BY_POSITION = frozenset({"default", "linear", "llama3", "proportional", "yarn"})


def separate(attention: nn.Module, head: int) -> Project:
    """Queries, keys and values from three projections, of heads of `head` dimensions, normed where norms are."""
    of_queries, of_keys, of_values = (attention.get_submodule(name) for name in ("q_proj", "k_proj", "v_proj"))
    query_norm, key_norm = (getattr(attention, name, nn.Identity()) for name in ("q_norm", "k_norm"))

    def project(stream: Tensor, slots: Tensor | None) -> Projected:
        asking = stream if slots is None else stream[..., slots, :]
        queries, keys, values = (
            projected.unflatten(-1, (-1, head))
            for projected in (of_queries(asking), of_keys(stream), of_values(stream))
        )
        return query_norm(queries), key_norm(keys), values

    return project


def rotations_of(rotary: nn.Module, names: Sequence[str] = ()) -> Rotations:
    """The rotations in a stream's precision for positions (S,), by layer type where there are `names`.

    Raises `RefusalError` ("unsupported_model") where they are not by position alone.
    """
    types = rotary.rope_type if isinstance(rotary.rope_type, dict) else {"": rotary.rope_type}
    for kind in types.values():
        if kind not in BY_POSITION:
            raise unsupported(f"its rotary embedding is {kind!r}, which changes with the length of the text")

    def rotations(stream: Tensor, positions: Tensor) -> Mapping[str, Rotation]:
        at = positions.unsqueeze(0)
        found = {name: rotary(stream, at, name) for name in names} or {"": rotary(stream, at)}
        return {name: (cos[0], sin[0]) for name, (cos, sin) in found.items()}

    return rotations


def looked_up(embedding: nn.Module) -> Callable[[Tensor, Tensor], Tensor]:
    """The embedding alone: where a token stands enters with the rotation."""

    def embed(ids: Tensor, _positions: Tensor) -> Tensor:
        stream: Tensor = embedding(ids)
        return stream

    return embed


def causal(blocks: tuple[Block, ...], attentions: Sequence[nn.Module]) -> tuple[Block, ...]:
    """The blocks, once each of their attentions is known to look at the past alone. Raises `RefusalError`."""
    if not all(getattr(attention, "is_causal", False) for attention in attentions):
        raise unsupported("its attention looks ahead")
    return blocks


def named(layers: Sequence[nn.Module], attention: str, mlp: str) -> dict[str, nn.Module]:
    """The modules by component, found in every layer at these paths."""
    return {
        f"{kind}_L{index}": layer.get_submodule(path)
        for index, layer in enumerate(layers)
        for kind, path in (("attn", attention), ("mlp", mlp))
    }


def unsupported(why: str) -> RefusalError:
    return RefusalError("unsupported_model", f"The model cannot be taken apart: {why}.", "Measure another checkpoint.")
