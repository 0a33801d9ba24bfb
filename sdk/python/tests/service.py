"""What the tests know about the running service, besides EARSHOT_URL and EARSHOT_API_KEY."""

from __future__ import annotations

import os

import earshot

SECRET = os.environ["EARSHOT_WEBHOOK_SECRET"]

TRACKER = "demo"
"""A tracker with a made-up history."""


def chat(prompt: str) -> earshot.types.TaskRequest:
    """A task of the chat assistant."""
    return {"taskType": "CHATASSISTANT", "payload": {"prompt": prompt, "country": "US"}}


def setup() -> None:
    """Create the tracker, unless it exists."""
    with earshot.Client() as client:
        if TRACKER not in [tracker["name"] for tracker in client.trackers.list()]:
            client.trackers.demo(TRACKER, days=12, prompts=3)


setup()
