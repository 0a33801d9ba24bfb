"""Recomputes visibility, share of voice and comparisons of a tracker from its exports, by docs/statistics.md.

Usage: python3 recompute.py FOLDER [FROM]

FOLDER has answers.csv and mentions.csv. With FROM, such as 2026-11-15, the sweeps from then on are compared with those before.
"""

import json
import math
import sys

import numpy as np
import pandas as pd
from scipy.stats import t as student

Z = 1.959963984540054
CELL = ["promptId", "key"]


def cosines(sweeps: int) -> np.ndarray:
    b = max(3, math.floor(0.7 * sweeps ** (2 / 3) + 0.5))
    return np.cos(np.pi * np.outer(np.arange(1, b + 1), np.arange(sweeps) + 0.5) / sweeps)


def variance(means: np.ndarray) -> tuple[float, float]:
    """Returns the variance of the mean of sweep means, and its degrees of freedom."""
    sweeps = len(means)
    if sweeps < 5:
        return (np.var(means, ddof=1) / sweeps, sweeps - 1) if sweeps > 1 else (0.0, 0)
    c = cosines(sweeps)
    return 2 / sweeps * ((c @ (means - means.mean())) ** 2).sum() / len(c) / sweeps, len(c)


def wilson(p: float, n: float) -> list[float]:
    middle, half = p + Z * Z / (2 * n), Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    low, high = (middle - half) / (1 + Z * Z / n), (middle + half) / (1 + Z * Z / n)
    return [0.0 if p == 0 else max(0.0, low), 1.0 if p == 1 else min(1.0, high)]


def effective(p: float, v: float, df: float) -> float:
    return p * (1 - p) / v * (Z / student.ppf(0.975, df)) ** 2 if v > 0 else math.inf


def averaged(a: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    return a.groupby(by).agg(x=("x", "mean"), y=("y", "mean"), sx=("x", "sum"), sy=("y", "sum"), w=("weight", "first"))


def ratio(cells: pd.DataFrame) -> tuple[float, float]:
    """Returns R and the mean of y."""
    x, y = np.average(cells.x, weights=cells.w), np.average(cells.y, weights=cells.w)
    return (x / y if y else math.nan), y


def estimate(a: pd.DataFrame) -> dict:
    cells = averaged(a, CELL)
    r, mean = ratio(cells)
    total = a.y.sum()
    if math.isnan(r):
        return {"value": None, "rerun": None, "market": None}
    if a.x.sum() in (0, total):
        both = wilson(float(a.x.sum() > 0), len(cells))
        return {"value": float(a.x.sum() > 0), "rerun": both, "market": both}
    in_sweeps = averaged(a, ["sweep", *CELL])
    in_sweeps["u"] = (in_sweeps.x - r * in_sweeps.y) / mean * in_sweeps.w
    sums = in_sweeps.groupby("sweep")[["u", "w"]].sum()
    v, df = variance((sums.u / sums.w).to_numpy())
    unequal = len(cells) * (cells.w**2).sum() / cells.w.sum() ** 2
    rerun = wilson(r, effective(r, max(v, 1 / total**2), df) if len(sums) >= 5 else total / unequal)
    cells["d"] = (cells.x - r * cells.y) / mean * cells.w / cells.w.sum()
    prompts = cells.groupby("promptId").d.sum()
    count, market = len(prompts), None
    if count > 1:
        n = min(effective(r, count / (count - 1) * (prompts**2).sum() + v, count - 1), total)
        some = cells[cells.sx > 0].index.get_level_values("promptId").nunique()
        lacking = cells[cells.sx < cells.sy].index.get_level_values("promptId").nunique()
        market = wilson(r, min(n, count) if some < 5 or lacking < 5 else n)
    return {"value": r, "rerun": rerun, "market": market}


def side(a: pd.DataFrame) -> tuple[float, int, float, float]:
    """Returns the value of a period over its common cells, its number of sweeps, the variance and its degrees."""
    cells = averaged(a, CELL)
    r, mean = ratio(cells)
    share = (cells.w / cells.w.sum()).to_numpy()
    a = a.assign(u=(a.x - r * a.y) / mean)
    sums, counts = (a.pivot_table("u", CELL, "sweep", how, fill_value=0).to_numpy() for how in ("sum", "count"))
    answers, sweeps, k = counts.sum(axis=1), counts.shape[1], (counts > 0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        if sweeps >= 5:
            c, there = cosines(sweeps), counts > 0
            g = np.sqrt(len(c) * k / (2 * (there @ (c**2).sum(axis=0) - ((there @ c.T) ** 2).sum(axis=1) / k)))
        else:
            g = np.sqrt((1 - 1 / sweeps) / (1 - 1 / k))
    part = share / answers * np.where(k < sweeps, g, 1)
    z = sweeps * part @ (sums - counts * (sums.sum(axis=1) / answers)[:, None])
    v, df = variance(z)
    return r, sweeps, max(v, 1 / len(a) ** 2), df


def compare(a: pd.DataFrame, is_late: pd.Series) -> dict:
    periods = [a[~is_late], a[is_late]]
    common = set(a.set_index(CELL).index)
    for p in periods:
        answered = p.groupby(CELL).sweep.nunique()
        common &= set(answered[answered >= min(3, p.sweep.nunique())].index)
    row = {"before": None, "after": None, "change": None, "interval": None, "verdict": "tooEarly"}
    if not common:
        return row
    (before, s1, v1, df1), (after, s2, v2, df2) = [side(p[p.set_index(CELL).index.isin(common)]) for p in periods]
    row["before"], row["after"] = [None if math.isnan(r) else r for r in (before, after)]
    if math.isnan(before + after):
        return row
    row["change"] = after - before
    if min(s1, s2) > 1:
        se = math.sqrt(v1 + v2)
        df = (v1 + v2) ** 2 / (v1**2 / df1 + v2**2 / df2)
        half = student.ppf(0.975, df) * se
        row["interval"] = [row["change"] - half, row["change"] + half]
        if min(s1, s2) >= 5:
            row["verdict"] = "moved" if 2 * student.sf(abs(row["change"]) / se, df) < 0.05 else "steady"
    return row


folder, since = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
answers, mentions = [pd.read_csv(f"{folder}/{name}.csv", keep_default_na=False) for name in ("answers", "mentions")]
answers = answers[answers.outcome.isin(["answered", "refused"])]
answers["sweep"] = answers.groupby("sweep").askedAt.transform("min")  # sweeps in the order of time
answers["origin"] = answers.surface + answers.via.where(answers.via == "", ":" + answers.via)
several = answers.groupby("target").origin.transform("nunique") > 1
answers["key"] = answers.target.where(~several, answers.target + "@" + answers.origin)
named = mentions[mentions.kind != "absent"].drop_duplicates(["answer", "brand"])
brands = sorted(named.brand.unique())
cuts = dict(list(answers.groupby("key")))
for origin, of in answers.groupby("origin"):
    if of.key.nunique() > 1:
        cuts["*" if answers.origin.nunique() == 1 else "*" + origin] = of
for target, of in cuts.items():
    for brand in brands:
        x = of.id.isin(named[named.brand == brand].answer).astype(float)
        for metric, y in {"visibility": 1.0, "shareOfVoice": of.id.map(named.groupby("answer").size()).fillna(0.0)}.items():
            a = of.assign(x=x, y=y)
            row = {"metric": metric, "brand": brand, "target": target, **estimate(a)}
            if since:
                row["compared"] = compare(a, a.sweep >= since)
            print(json.dumps(row))
