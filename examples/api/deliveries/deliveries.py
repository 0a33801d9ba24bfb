import os

import earshot

admin = earshot.Client(key=os.environ["ADMIN_KEY"])
print(admin.webhooks.test(url=os.environ["HOOK_URL"])["status"])
client = earshot.Client()
newest = next(client.deliveries.list())
print(newest["url"])
