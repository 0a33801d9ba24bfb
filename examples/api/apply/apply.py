from pathlib import Path

import earshot

client = earshot.Client()
applied = client.trackers.apply("sport", Path("sport.yaml").read_text())
print(f"{applied['tracker']['name']}: version {applied['tracker']['version']}")
