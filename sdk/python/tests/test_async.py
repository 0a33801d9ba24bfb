"""The asynchronous client, against a running service."""

from __future__ import annotations

import asyncio
import tempfile
import unittest
from pathlib import Path
from uuid import uuid4

import earshot
from service import TRACKER, chat


class AsyncTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.client = earshot.AsyncClient()
        self.addAsyncCleanup(self.client.close)

    async def test_ask_several(self) -> None:
        countries = ["US", "DE", "FR"]
        answers = await asyncio.gather(
            *(self.client.ask("genassistant", prompt="best hats", country=c) for c in countries)
        )
        self.assertEqual(len({a.result["text"] for a in answers}), 3)
        self.assertTrue(all(a.usage.credits_charged for a in answers))

    async def test_errors(self) -> None:
        with self.assertRaises(earshot.EarshotError) as raised:
            await self.client.trackers.get("absent")
        self.assertEqual(raised.exception.code, "RESOURCE_NOT_FOUND")

    async def test_replay(self) -> None:
        key = str(uuid4())
        for replayed in (False, True):
            answer = await self.client.ask("genassistant", prompt="hats", country="US", idempotency_key=key)
            self.assertEqual(answer.usage.replayed, replayed)

    async def test_tasks(self) -> None:
        task = await self.client.tasks.submit("websearch", query="gloves", country="US")
        result = await task.wait(timeout=300)
        self.assertTrue(result["organicResults"])
        self.assertEqual(await self.client.tasks.wait(task.id), result)
        failing = await self.client.tasks.submit("chatassistant", prompt="x [[status=503]]", country="US")
        with self.assertRaises(earshot.TaskError):
            await failing.wait(timeout=300)

    async def test_wait_all(self) -> None:
        batch = await self.client.tasks.submit_batch([chat(f"caps {n}") for n in range(15)])
        ids = [item["task"]["id"] for item in batch["results"]]
        ended = [r["task"]["id"] async for r in self.client.tasks.wait_all(ids, timeout=300)]
        self.assertEqual(sorted(ended), sorted(ids))
        results = self.client.batches.results(batch["batchId"])
        self.assertEqual(len([r async for r in results.records()]), 15)
        listed = [r["task"]["id"] async for r in self.client.tasks.list(limit=60)]
        self.assertLessEqual(set(ids), set(listed))

    async def test_trackers(self) -> None:
        rows = await self.client.trackers.metrics(TRACKER, metric="visibility", by="brand")
        self.assertEqual([row["brand"] for row in rows], [row["brand"] for row in rows.report["rows"]])
        answers = [a async for a in self.client.trackers.export(TRACKER).records()]
        self.assertEqual(len(answers), len([a async for a in self.client.answers.list(TRACKER)]))
        with tempfile.TemporaryDirectory() as folder:
            await self.client.trackers.export(TRACKER, format="csv").save(Path(folder) / "answers.csv")
            self.assertTrue((Path(folder) / "answers.csv").read_text().startswith("id,"))

    async def test_live(self) -> None:
        async for event in self.client.live():
            self.assertIsNotNone(event.status)
            break


if __name__ == "__main__":
    unittest.main()
