import time

import earshot

client = earshot.Client()
sweep = client.sweeps.start("sport", idempotency_key="launch-day")["sweep"]
while sweep["state"] == "running":
    time.sleep(1)
    sweep = client.sweeps.get("sport", sweep["id"])
progress = sweep["progress"]
print(f"{sweep['state']}: {progress['answered']} of {progress['planned']} answered")
