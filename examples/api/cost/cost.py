from pathlib import Path

import earshot

client = earshot.Client()
planned = client.trackers.apply("sport", Path("sport.yaml").read_text(), dry_run=True)
cost = planned["tracker"]["cost"]
print(f"{cost['sweep']} credits a sweep, {cost['month']} a month")
