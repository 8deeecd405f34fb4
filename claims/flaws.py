"""What is wrong with something a person handed in: every flaw at once, each with where it is and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

FLAW_CODES: Mapping[str, str] = MappingProxyType(
    {
        # The bytes
        "not_utf8": "The bytes are not UTF-8.",
        "byte_order_mark": "The text begins with a byte order mark.",
        "malformed_json": "The text is not JSON.",
        "malformed_yaml": "The text is not YAML.",
        "yaml_construct": "A construct of YAML that JSON has no equal for: alias, anchor, tag, several documents.",
        "too_deep": "Objects and lists are nested deeper than the limit.",
        "too_many_flaws": "There are more flaws than are listed.",
        "duplicate_key": "An object names a key twice.",
        "not_a_number": "NaN or an infinity stands where a number should.",
        "number_out_of_range": "A number is beyond what every reader holds exactly.",
        "lone_surrogate": "Text holds half of a surrogate pair, which is no character.",
        "control_character": "Text holds a control character.",
        "hidden_character": "Text holds a character that shows nothing and can reorder or hide what stands beside it.",
        "not_nfc": "Text is not in Unicode normal form C.",
        "not_canonical": "A value has no canonical JSON form.",
        # The shape
        "unknown_key": "The schema does not know this key.",
        "missing_key": "A key that the schema needs is missing.",
        "wrong_type": "A value is of another type than the schema says.",
        "not_allowed": "A value is not among those allowed.",
        "out_of_bounds": "A number is outside its bounds.",
        "bad_form": "Text has not the form the schema says.",
        "bad_length": "Text or a list is too short or too long.",
        # The meaning of a registration
        "no_primary": "No hypothesis is primary, so nothing could be decided.",
        "duplicate_id": "Two parts share one id.",
        "duplicate_reference": "A list names the same thing twice.",
        "unknown_instrument": "There is no instrument of this name.",
        "instrument_version": "The instrument is at another version.",
        "bad_params": "The parameters do not fit their JSON Schema.",
        "unsupported_subject": "The instrument does not take this kind of subject.",
        "unknown_recipe": "The instrument knows no organism of this recipe.",
        "unknown_generator": "The instrument knows no generator of this name.",
        "unknown_metric": "The instrument does not produce this metric.",
        "unmeasured_metric": "The instrument does not measure this metric with the parameters stated.",
        "unknown_component": "The subject has no such component.",
        "unknown_dimension": "The dataset has no such dimension.",
        "diagnostic_metric": "A hypothesis names a diagnostic metric.",
        "not_diagnostic": "A kill criterion or a control names a metric that is not diagnostic.",
        "reversed_band": "The lower end of a band is not below its upper end.",
        "vacuous": "A prediction that no measurement could confirm, or none refute.",
        "sampling": "The sizes stated are not those the instrument asks for.",
        "interval_not_offered": "The instrument does not offer this interval.",
        "not_exact": "An exact interval is asked for a metric that is estimated.",
        "too_few_units": "There are fewer independent units than the interval needs.",
        "wrong_unit": "The instrument's sampling unit is another.",
        "multiplicity": "Several primary hypotheses need a correction for multiplicity.",
        "resamples": "The resamples do not fit the interval.",
        "impossible_assumption": "A value is assumed that the metric cannot have.",
        # The meaning of an imported record
        "not_predicted": "A number that nobody predicted is said to have been frozen before the data.",
        # Preference pairs and rows
        "bad_row": "A line of rows.jsonl is not a row.",
        "empty_file": "The file holds no pairs.",
        "empty_line": "A line holds nothing.",
        "empty_response": "A response holds no text.",
        "identical_pair": "The chosen and the rejected response are the same.",
        "bad_messages": "A list of messages is not a dialogue that ends with the user.",
        "no_dimension": "A line of an export names no dimension, and neither does the upload.",
        "no_answer": "A whole dialogue does not end with an answer of the assistant.",
        "dialogues_differ": "The chosen and the rejected dialogue differ before their last turn.",
        "prompt_differs": "The prompt given apart is not the one that the two dialogues begin with.",
        "bad_transcript": "A whole dialogue in one text does not begin with a turn of Human or Assistant.",
        "column_in_meta": "A further column of an export has the name of a key of `meta`.",
    }
)


@dataclass(frozen=True)
class Flaw:
    """One thing wrong.

    `pointer` is an RFC 6901 JSON pointer into what was handed in ("" is the whole of it), `code` a word of
    FLAW_CODES, `detail` says what is wrong, `remedy` what to do about it.
    """

    pointer: str
    code: str
    detail: str
    remedy: str


class RefusedInputError(ValueError):
    """Raised by every reader of foreign input; holds at least one flaw, in document order."""

    def __init__(self, *flaws: Flaw) -> None:
        super().__init__("; ".join(f"{flaw.pointer or '/'}: {flaw.detail}" for flaw in flaws))
        self.flaws = flaws


def pointer(*parts: str | int) -> str:
    """The RFC 6901 pointer of a path: `pointer("hypotheses", 0)` is `/hypotheses/0`."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
