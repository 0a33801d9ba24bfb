"""Flattens reports for tables."""

from __future__ import annotations

from typing import Any, Dict, Generic, List, TypeVar

from . import types as t


R = TypeVar("R", t.MetricReport, t.CompareReport)


class Rows(List[Dict[str, Any]], Generic[R]):
    """The rows of a report as flat dictionaries, for pandas or a CSV file.

    The confidence interval of a comparison is in the columns `interval.low` and
    `interval.high`. A metric has two: `rerun.low`, `rerun.high`, `market.low` and
    `market.high`. Other nested fields are joined with a dot, such as `places.first`.
    `report` is the whole report.
    """

    def __init__(self, report: R) -> None:
        super().__init__(_flat(row) for row in report["rows"])
        self.report: R = report


def _flat(row: Any) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if name == "interval" and isinstance(value, list):
            flat.update(_ends(name, value))
        elif name == "interval":
            for kind in ("rerun", "market"):
                flat.update(_ends(kind, (value or {}).get(kind)))
        elif isinstance(value, dict):
            flat.update({f"{name}.{inner}": v for inner, v in value.items()})
        else:
            flat[name] = value
    return flat


def _ends(name: str, interval: Any) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {f"{name}.low": low, f"{name}.high": high}
