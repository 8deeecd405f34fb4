"""Components that a claim names and the model does not have: that is known once the model is loaded."""

from __future__ import annotations

from collections.abc import Container

from claims.registration.model import Registration


def absent_components(answered: Container[str], registration: Registration, done: str) -> dict[str, str]:
    """Why a hypothesis's metric has no answer of its own, by metric; `done` is what was done to every component.

    The parameters allow it, or it had not been filed: so it is of a component that the model does not have.
    """
    missing = [one.metric for one in registration.hypotheses if one.metric not in answered]
    return {
        name: f"no component {name.partition('.')[2]} was {done}: see the layers and heads of the model"
        for name in missing
    }
