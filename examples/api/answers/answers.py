from itertools import islice

import earshot

client = earshot.Client()
answers = client.answers.list("history", target="chatassistant/US", outcome="answered")
for answer in islice(answers, 3):
    print(answer["id"], answer["prompt"])
