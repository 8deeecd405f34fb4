"""Whether the instrument takes this subject, and parameters against their JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from claims.flaws import Flaw, pointer
from claims.instruments.manifest import Manifest
from claims.registration.model import GeneratedDataset, OrganismModel, Subject

# JSON Schema calls 3.0 an integer; a parameter that counts must be one as filed.
_Validator = extend(  # type: ignore[no-untyped-call]  # the stubs leave it without types
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _checker, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def flaws_of_subject(subject: Subject, manifest: Manifest) -> Iterator[Flaw]:
    model, dataset = subject.model, subject.dataset
    for at, given, taken in (
        ("/subject/model/kind", model.kind, manifest.model_kinds),
        ("/subject/dataset/kind", dataset.kind, manifest.dataset_kinds),
    ):
        if given not in taken:
            detail = f"{manifest.name} does not take the kind {given}"
            yield Flaw(at, "unsupported_subject", detail, f"Use one of {', '.join(taken)}.")
    if isinstance(model, OrganismModel) and "organism" in manifest.model_kinds:
        yield from _recipe(model, manifest)
    if isinstance(dataset, GeneratedDataset) and "generated" in manifest.dataset_kinds:
        yield from _generator(dataset, manifest)


def _recipe(model: OrganismModel, manifest: Manifest) -> Iterator[Flaw]:
    recipes = manifest.recipes or {}
    if model.recipe not in recipes:
        remedy = f"Use one of {', '.join(recipes)}."
        yield Flaw("/subject/model/recipe", "unknown_recipe", f"there is no recipe {model.recipe}", remedy)
        return
    yield from flaws_of_params(model.params, recipes[model.recipe], "/subject/model/params")


def _generator(dataset: GeneratedDataset, manifest: Manifest) -> Iterator[Flaw]:
    if dataset.generator not in manifest.generators:
        remedy = f"Use one of {', '.join(manifest.generators)}."
        detail = f"there is no generator {dataset.generator}"
        yield Flaw("/subject/dataset/generator", "unknown_generator", detail, remedy)


def flaws_of_params(params: Mapping[str, Any], schema: Mapping[str, Any], at: str) -> Iterator[Flaw]:
    """Every way in which `params`, found at pointer `at`, does not fit its JSON Schema, each said once."""
    errors = _Validator(schema).iter_errors(params)
    yield from dict.fromkeys(flaw for error in errors for flaw in _flaws_of(error, at + pointer(*error.absolute_path)))


def _flaws_of(error: ValidationError, at: str) -> Iterator[Flaw]:
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    if error.validator == "additionalProperties":
        known = schema.get("properties", {})
        for name in cast("Mapping[str, Any]", error.instance):
            if name in known:
                continue
            remedy = f"Known parameters: {', '.join(known) or 'none, leave it out'}."
            yield Flaw(at + pointer(name), "bad_params", f"there is no parameter {name}", remedy)
    elif error.validator == "required":
        missing = next(name for name in schema["required"] if error.message.startswith(repr(name)))
        remedy = f"Add it. {_fitting(schema.get('properties', {}).get(missing, {}))}"
        yield Flaw(at, "bad_params", f"the parameter {missing} is missing", remedy)
    else:
        yield Flaw(at, "bad_params", "the value does not fit its parameter", _fitting(schema))


def _fitting(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"Use one of {', '.join(map(str, schema['enum']))}."
    said = {name: rule for name, rule in schema.items() if name not in {"title", "description", "default"}}
    return f"It must fit {json.dumps(said)}."
