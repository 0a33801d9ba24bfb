"""Prints the visibility of each brand by week, and the sites that cite them most.

Usage: python3 visibility.py TRACKER
"""

import os
import sys

import pandas as pd

url = os.environ.get("EARSHOT_URL", "http://127.0.0.1:8080")
headers = {"Authorization": "Bearer " + os.environ["EARSHOT_API_KEY"]}


def read(tracker: str, table: str) -> pd.DataFrame:
    """Returns an exported table. Parquet needs the package pyarrow; without it, read NDJSON."""
    export = f"{url}/v1/trackers/{tracker}/export?table={table}&format="
    try:
        return pd.read_parquet(export + "parquet", storage_options=headers)
    except ImportError:
        dates = ["askedAt", "dueAt"]
        return pd.read_json(export + "ndjson", lines=True, convert_dates=dates, storage_options=headers)


tracker = sys.argv[1]
metrics = read(tracker, "metrics")
visibility = metrics[metrics["metric"] == "visibility@m1"]
weeks = visibility.groupby(["brand", pd.Grouper(key="dueAt", freq="W-MON", label="left", closed="left")])
counts = weeks[["numerator", "denominator"]].sum()
print((counts["numerator"] / counts["denominator"]).unstack("brand").round(3).to_string())

citations = read(tracker, "citations")
print(citations.groupby(["domain", "type"])["answer"].nunique().nlargest(5).to_string())
