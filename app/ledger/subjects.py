"""What a claim's subject is called in columns, filters and on pages."""

from __future__ import annotations

from claims.registration.model import (
    GeneratedDataset,
    HuggingFaceModel,
    LocalModel,
    OrganismModel,
    SubjectDataset,
    SubjectModel,
)


def model_name(model: SubjectModel) -> str:
    """`organism:<recipe>`, `tiny:<seed>`, `local:<directory>`, or the Hugging Face repository as it is."""
    if isinstance(model, HuggingFaceModel):
        return model.repo
    if isinstance(model, LocalModel):
        return f"local:{model.directory}"
    return f"organism:{model.recipe}" if isinstance(model, OrganismModel) else f"tiny:{model.seed}"


def weights_name(model: SubjectModel) -> str:
    """The hash of the weights where it is stated, else the name that leads to just these weights."""
    if isinstance(model, LocalModel):
        return model.weights_sha256
    return f"{model.repo}@{model.revision}" if isinstance(model, HuggingFaceModel) else model_name(model)


def dataset_name(dataset: SubjectDataset) -> str:
    """The generator's name, or the content hash of uploaded pairs."""
    return dataset.generator if isinstance(dataset, GeneratedDataset) else dataset.sha256
