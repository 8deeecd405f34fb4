"""The frozen document, schema `antedate.registration/1`: its only definition.

These models say what may stand in a document. What a document must mean beyond its shape (metrics the instrument
produces, regions that both exist) is `claims.registration.checks`; its bytes and identity are `claims.canonical`.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

SCHEMA = "antedate.registration/1"
MOST_FORECAST_HOURS = 2160  # 90 days
SAMPLING_SIZES = ("organisms", "pairs_per_organism", "pairs")

Comparator = Literal[">", ">=", "<", "<="]
ExposureLevel = Literal["none", "pilot", "published", "full"]
IntervalMethod = Literal[
    "student_t", "percentile", "bca", "studentised_bootstrap", "jackknife_t", "wilson", "delong", "exact"
]
SamplingUnit = Literal["organism", "cluster", "pair"]


def _one_of_the_levels(value: float) -> float:
    if value not in {0.90, 0.95, 0.99}:
        raise ValueError("confidence is 0.90, 0.95 or 0.99")
    return value


Identifier = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$"),
    Field(description="1 to 64 letters, digits, dots, dashes or underscores, a letter first"),
]
Dimension = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$"),
    Field(description="1 to 64 letters, digits, dashes or underscores, a letter first"),
]
MetricName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)?$", max_length=128),
    Field(description="a metric of the instrument, such as `mean_rho`, or one of a dimension, such as `rho.safety`"),
]
ClaimId = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9]{12,20}$"), Field(description="the id of a claim on this ledger")
]
Sha256 = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-f]{64}$"), Field(description="a SHA-256 as 64 lower-case hex digits")
]
Title = Annotated[
    str, StringConstraints(pattern=r"\S", max_length=200), Field(description="one line, at most 200 characters")
]
Sentence = Annotated[
    str, StringConstraints(pattern=r"\S", max_length=2000), Field(description="one line, at most 2,000 characters")
]
Prose = Annotated[str, StringConstraints(max_length=20_000)]
Confidence = Annotated[float, AfterValidator(_one_of_the_levels), Field(description="0.90, 0.95 or 0.99")]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


class Part(BaseModel):
    """Every part of a document: unknown keys refused, nothing coerced, nothing changed afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class PriorExposure(Part):
    level: ExposureLevel
    note: Prose = ""


class HuggingFaceModel(Part):
    kind: Literal["huggingface"]
    repo: Annotated[
        str,
        StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=200),
        Field(description="owner/name, as the hub spells it"),
    ]
    revision: Annotated[
        str,
        StringConstraints(pattern=r"^[0-9a-f]{40}$"),
        Field(description="the commit as 40 lower-case hex digits; a branch or a tag can move"),
    ]
    readout: Annotated[int, Field(ge=0)] | None = None


class LocalModel(Part):
    """A directory under the model root; `weights_sha256` as `claims.weights` defines it."""

    kind: Literal["local"]
    directory: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    weights_sha256: Sha256
    readout: Annotated[int, Field(ge=0)] | None = None


class OrganismModel(Part):
    kind: Literal["organism"]
    recipe: Identifier
    params: dict[str, JsonValue] = {}


class TinyModel(Part):
    kind: Literal["tiny"]
    seed: Annotated[int, Field(ge=0, lt=2**32)]


CheckpointModel = HuggingFaceModel | LocalModel | TinyModel
SubjectModel = Annotated[HuggingFaceModel | LocalModel | OrganismModel | TinyModel, Field(discriminator="kind")]


class GeneratedDataset(Part):
    kind: Literal["generated"]
    generator: Identifier


class PairsDataset(Part):
    """Preference pairs uploaded to the ledger, by their content hash."""

    kind: Literal["pairs"]
    name: Title
    sha256: Sha256
    dimensions: Annotated[list[Dimension], Field(min_length=1, max_length=200)]


SubjectDataset = Annotated[GeneratedDataset | PairsDataset, Field(discriminator="kind")]


class Subject(Part):
    model: SubjectModel
    dataset: SubjectDataset


class InstrumentChoice(Part):
    name: Annotated[
        str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$"), Field(description="the name of an instrument")
    ]
    version: Annotated[
        str, StringConstraints(pattern=r"^[0-9]+$", max_length=9), Field(description='digits in quotes, such as "1"')
    ]
    params: dict[str, JsonValue] = {}


class Threshold(Part):
    """The metric lies beyond `value` in the direction of `op`."""

    op: Comparator
    value: float


class Band(Part):
    """The metric lies within, or outside, the closed interval [low, high]."""

    op: Literal["within", "outside"]
    low: float
    high: float


class Equality(Part):
    """The metric lies within [value - tolerance, value + tolerance]."""

    op: Literal["equals"]
    value: float
    tolerance: Annotated[float, Field(gt=0)]


Prediction = Annotated[Threshold | Band | Equality, Field(discriminator="op")]


class Hypothesis(Part):
    id: Identifier
    statement: Sentence
    primary: bool
    metric: MetricName
    predict: Prediction


class KillCriterion(Part):
    """Fires, and voids the study, when `metric op value` is true of the point estimate."""

    id: Identifier
    metric: MetricName
    op: Comparator
    value: float
    reason: Sentence


class Control(Part):
    """Holds when `metric op value` is true of the point estimate; a control that does not hold voids the study."""

    metric: MetricName
    op: Comparator
    value: float


class Controls(Part):
    positive: Control | None = None
    negative: Control | None = None


class Sampling(Part):
    """How much is measured. Which sizes an instrument asks for is in its manifest; n is always fixed."""

    organisms: Count | None = None
    pairs_per_organism: Count | None = None
    pairs: Count | None = None
    exclusions: list[Sentence] = []
    stopping: Literal["fixed"]

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that are stated, by name."""
        stated = {name: getattr(self, name) for name in SAMPLING_SIZES}
        return {name: size for name, size in stated.items() if size is not None}


class Analysis(Part):
    confidence: Confidence
    interval: IntervalMethod
    unit: SamplingUnit
    multiplicity: Literal["bonferroni", "none"] = "bonferroni"
    resamples: Annotated[int, Field(ge=1, le=1_000_000)] | None = None

    @property
    def alpha(self) -> float:
        return round(1 - self.confidence, 2)


class Assumption(Part):
    """What a metric is expected to be, and how much one independent unit adds to its error; `source` says from where.

    `sd` is in the metric's own unit: over n independent units the estimate's standard error is sd / sqrt(n). `skewness`
    of one unit, E((x - mean)^3) / sd^3, is asked of a mean whose range has no ends; elsewhere the range tells it. Of a
    rho between two rankings `value` is that without noise, and `reliability` the split-half one of the rankings.
    """

    value: float
    sd: Annotated[float, Field(gt=0)]
    skewness: Annotated[float, Field(ge=-5, le=5)] = 0.0
    reliability: Annotated[float, Field(gt=0, le=1)] = 1.0
    source: Sentence


class Amendment(Part):
    claim: ClaimId
    reason: Sentence


class Registration(Part):
    """One frozen prediction.

    `probability` is the registrant's own that the claim will be confirmed, if it is decided at all; `assumptions`, by
    metric, are what the design check computes power from. A run opens no earlier than `forecast_hours` after filing,
    so that others can forecast its outcome.
    """

    schema_: Annotated[Literal["antedate.registration/1"], Field(alias="schema")]
    title: Title
    statement: Sentence
    rationale: Prose = ""
    prior_exposure: PriorExposure
    subject: Subject
    instrument: InstrumentChoice
    hypotheses: Annotated[list[Hypothesis], Field(min_length=1, max_length=100)]
    kill_criteria: Annotated[list[KillCriterion], Field(max_length=100)] = []
    controls: Controls = Controls()
    sampling: Sampling
    analysis: Analysis
    probability: Annotated[float, Field(ge=0, le=1)] | None = None
    assumptions: dict[MetricName, Assumption] = {}
    forecast_hours: Annotated[int, Field(ge=0, le=MOST_FORECAST_HOURS)] = 0
    reproduction_tolerance: dict[MetricName, Annotated[float, Field(ge=0)]] = {}
    builds_on: Annotated[list[ClaimId], Field(max_length=100)] = []
    amends: Amendment | None = None

    @property
    def primaries(self) -> list[Hypothesis]:
        return [hypothesis for hypothesis in self.hypotheses if hypothesis.primary]

    @property
    def level(self) -> float:
        """The confidence level 1 - alpha_i of every interval of this claim.

        Bonferroni divides alpha by the number of primaries; secondary hypotheses are judged at the same level, so
        that a metric has one interval.
        """
        family = len(self.primaries) if self.analysis.multiplicity == "bonferroni" else 1
        return 1 - self.analysis.alpha / max(family, 1)


def meets(value: float, op: Comparator, threshold: float) -> bool:
    """Whether `value op threshold`; the value of a kill criterion or a control is never NaN."""
    if math.isnan(value):
        raise ValueError("a point estimate is a number")
    return {
        ">": value > threshold,
        ">=": value >= threshold,
        "<": value < threshold,
        "<=": value <= threshold,
    }[op]
