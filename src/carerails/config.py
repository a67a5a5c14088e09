"""Deployment settings: the profile (deadlines, limits, defaults) and the emergency numbers by country.

An unknown key, a value out of range or a missing number is an error with its file and line, at load, never ignored.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

import yaml
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from carerails.breaker import BreakerLimits
from carerails.contracts import LOCALES, OPINIONS, Frozen, Locale, Outcome
from carerails.errors import UsageError, unknown
from carerails.output.settings import CircuitSettings, OutputSettings
from carerails.resources import data_dir
from carerails.screening.settings import ScreeningSettings

Model = TypeVar("Model", bound=BaseModel)
#: The C parser, where it is built: ten times as fast, and a start reads a hundred files.
YamlLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]


Point = Annotated[float, Field(ge=0, le=1)]


class ModelJudgeProfile(Frozen):
    """Limits of the model judge, and what stands in for it.

    Attributes:
        timeout_s: seconds for one verdict, retries included; less than the judge's `deadline_s`.
        retries: further attempts after 429, 5xx or a lost connection.
        max_chars: of all messages of a turn; a longer one is not judged, which is a failure.
        sampling_rate: share of the turns on which the rails want a second opinion that the model is asked about; the
            same words always or never. The local judge has the rest.
        breaker: when the endpoint is left alone, and for how long.
        when_open: what then becomes of a turn. `local`: the local judge decides, and what it would only ask about
            escalates; where it is not installed, as `fail`. `fail`: as of any turn whose judge failed.
    """

    timeout_s: Annotated[float, Field(gt=0, le=60)] = 4.0
    retries: Annotated[int, Field(ge=0, le=5)] = 1
    max_chars: Annotated[int, Field(ge=500, le=20_000)] = 20_000
    sampling_rate: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] = 1.0
    breaker: BreakerLimits = BreakerLimits(failures=5, open_s=60)
    when_open: Literal["local", "fail"] = "local"


class JudgeProfile(Frozen):
    """How a deployment asks a judge, where it has one.

    Attributes:
        deadline_s: seconds that a judge which waits for others may take before it counts as failed.
        on_failure: what becomes of a turn whose judge failed: `escalate` it as urgent, or `refuse` it.
        points: by judge, by what it holds, by outcome: the score from which on it does, one or by locale.
            `carerails calibrate` writes them. An outcome without a point is never reached.
        model: limits of the judge that asks a model.
    """

    deadline_s: Annotated[float, Field(gt=0, le=60)] = 5.0
    on_failure: Literal["escalate", "refuse"] = "escalate"
    points: Mapping[str, Mapping[str, Mapping[Outcome, Point | Mapping[Locale, Point]]]] = Field(default_factory=dict)
    model: ModelJudgeProfile = ModelJudgeProfile()

    @model_validator(mode="after")
    def _model_fails_in_time(self) -> JudgeProfile:
        if self.model.timeout_s >= self.deadline_s:
            raise ValueError("model: timeout_s must be less than deadline_s, or no failure of the endpoint is counted")
        return self

    @field_validator("points")
    @classmethod
    def _known(cls, points: Mapping[str, Mapping[str, Mapping[Outcome, Any]]]) -> Mapping[str, Any]:
        for judge, names in points.items():
            for name, outcomes in names.items():
                if name not in OPINIONS:
                    raise ValueError(f"{judge}: {unknown('opinion', name, OPINIONS)}")
                if strange := outcomes.keys() - set(OPINIONS[name]):
                    raise ValueError(f"{judge}: {name}: {unknown('outcome', strange.pop(), OPINIONS[name])}")
                for outcome, point in outcomes.items():
                    if isinstance(point, Mapping) and set(cast("Mapping[str, float]", point)) != set(LOCALES):
                        raise ValueError(f"{judge}: {name}: {outcome}: one point for every locale")
        return points


class Profile(Frozen):
    """How a deployment runs the checks.

    Attributes:
        deadline_s: seconds that one check may take before it counts as failed.
        max_chars: characters of a turn that are scanned; a longer one is `input-malformed` unless a red flag hits.
        own_identifiers: `redact` lets a turn with the user's own identifiers pass (the record is redacted), `block`
            refuses it as `pii-blocked`.
        judge: how a judge is asked; it is there only where one is deployed (`--semantic`).
        default_country: the country whose numbers a locale shows when the request names none; None: no number.
        output: what a reply may hold.
        circuit: when the model is left alone, and what is said then.
        screening: what goes into the model's context, and which claims are looked at.
    """

    deadline_s: Annotated[float, Field(gt=0, le=60)] = 2.0
    max_chars: Annotated[int, Field(ge=1_000, le=10_000_000)] = 100_000
    own_identifiers: Literal["redact", "block"] = "redact"
    default_country: Mapping[Locale, Country | None] = Field(default_factory=lambda: dict.fromkeys(LOCALES))
    output: OutputSettings = OutputSettings()
    circuit: CircuitSettings = CircuitSettings()
    screening: ScreeningSettings = ScreeningSettings()
    judge: JudgeProfile = JudgeProfile()


class CountryNumbers(Frozen):
    """Numbers of one country, as people dial them; a reply may name the poison line, no template does."""

    name: str
    emergency: str
    crisis: str | None = None
    poison: str | None = None
    source: str


class Without(Frozen):
    """What a template of one locale says in place of a number."""

    emergency: str
    crisis: str


class NumberBook(Frozen):
    """Numbers by country, and what a template says where there is none."""

    without_number: Mapping[Locale, Without]
    countries: Mapping[Country, CountryNumbers]

    def of(self, locale: Locale, country: str | None) -> dict[str, str]:
        """What templates of this locale show for this country; a country we do not know has no numbers."""
        without = self.without_number[locale]
        known = self.countries.get(country) if country else None
        if known is None:
            return {"emergency": without.emergency, "crisis": without.crisis}
        return {"emergency": known.emergency, "crisis": known.crisis or without.crisis}

    def lines(self) -> tuple[str, ...]:
        """Every number in it, with its name."""
        lines = ((each.emergency, each.crisis, each.poison) for each in self.countries.values())
        return tuple(line for of_country in lines for line in of_country if line)


class Settings(Frozen):
    """A profile and the numbers, as loaded from one config directory."""

    profile: Profile
    numbers: NumberBook

    @cached_property
    def digest(self) -> str:
        """Hash of everything in it."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    def country(self, locale: Locale, country: str | None) -> str | None:
        """The request's country, else the default of the locale."""
        return country or self.profile.default_country.get(locale)


def load_settings(directory: Path | None = None, profile: str | None = None) -> Settings:
    """Load a profile and `numbers.yml` of a config directory.

    Args:
        directory: None: the one that is shipped.
        profile: a name among its `profiles`, or the path of a .yml file anywhere; None: what `CARERAILS_PROFILE` says,
            else `default`.

    Raises:
        UsageError: with file, line and mend.
    """
    config = directory or data_dir("config")
    profile = profile or os.environ.get("CARERAILS_PROFILE") or "default"
    is_path = profile.endswith((".yml", ".yaml"))
    path = Path(profile) if is_path else config / "profiles" / f"{profile}.yml"
    if not is_path and not path.is_file():
        raise unknown("profile", profile, [p.stem for p in (config / "profiles").glob("*.yml")])
    return Settings(profile=load_yaml(path, Profile), numbers=load_yaml(config / "numbers.yml", NumberBook))


def load_yaml(path: Path, model: type[Model]) -> Model:
    """Read one YAML file into a strict model.

    Raises:
        UsageError: the file is missing, is not YAML or does not fit the model; says file and line.
    """
    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, Loader=YamlLoader)
        value = yaml.load(text, Loader=YamlLoader)
    except OSError as error:
        raise UsageError(error.strerror or "cannot be read", "check the path", str(path)) from None
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8 text", "save it as UTF-8", str(path)) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(error.problem or "is not YAML", "check indentation and quotes", f"{path}:{line}") from None
    try:
        return model.model_validate(value or {})
    except ValidationError as error:
        # A misspelt key is two errors, an unknown and a missing one: the unknown one says what to mend.
        errors = error.errors(include_input=False, include_url=False)
        first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
        keys = ".".join(str(key) for key in first["loc"])
        where = f"{path}:{line_of(node, first['loc'])}"
        if first["type"] == "extra_forbidden":
            hint = unknown("key", str(first["loc"][-1]), _known_keys(model, first["loc"][:-1]))
            raise UsageError(hint.what, hint.mend, where) from None
        raise UsageError(f"{keys}: {first['msg']}", "", where) from None


def yaml_node(path: Path) -> Any:
    """The YAML of a file as nodes, which know their lines."""
    return yaml.compose(path.read_text(encoding="utf-8"), Loader=YamlLoader)


def _known_keys(model: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    """Field names at the place of an unknown key, as far as models nest directly."""
    for key in path:
        field = model.model_fields.get(str(key))
        inner = field.annotation if field else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        model = inner
    return list(model.model_fields)


def line_of(node: Any, path: tuple[int | str, ...]) -> int:
    """1-based line of the deepest YAML node on the way to `path`."""
    line = 1
    for key in path:
        if isinstance(node, yaml.MappingNode):
            pairs: list[tuple[Any, Any]] = node.value
            found = next(((k, v) for k, v in pairs if k.value == str(key)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = node.start_mark.line + 1
        else:
            break
    return line
