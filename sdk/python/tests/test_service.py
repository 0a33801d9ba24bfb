"""The synchronous client, against a running service."""

from __future__ import annotations

import queue
import tempfile
import threading
import unittest
from datetime import datetime, timedelta, timezone
from email.message import Message
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from itertools import islice
from pathlib import Path
from socketserver import TCPServer
from typing import Any
from uuid import uuid4

import pandas

import earshot
from service import SECRET, TRACKER, chat

HATS: earshot.types.TrackerDefinition = {
    "prompts": ["best hats", {"text": "warm hats", "tags": ["winter"]}],
    "targets": [{"provider": "genassistant", "country": "US"}],
}


class AskTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = earshot.Client()
        self.addCleanup(self.client.close)

    def test_answer(self) -> None:
        answer = self.client.ask(
            "chatassistant", prompt="best hats", country="US", state="CO", include={"markdown": True}
        )
        self.assertTrue(answer.result["text"])
        self.assertTrue(answer.result["markdown"])
        self.assertEqual(answer.result["surface"], "lab")
        self.assertGreater(answer.usage.credits_charged, 0)
        self.assertGreater(answer.usage.credits_remaining, 0)
        self.assertEqual(self.client.requests.get(answer.usage.request_id)["provider"], "chatassistant")

    def test_search_and_its_redirects(self) -> None:
        found = self.client.ask("websearch", query="hats", country="FR").result["organicResults"]
        redirected = next(r for r in found if "redirectLink" in r)
        self.assertEqual(self.client.goto(url=redirected["redirectLink"]), redirected["link"])
        news = self.client.ask("websearch/news", query="hats", country="FR")
        self.assertTrue(news.result["newsResults"])

    def test_replay(self) -> None:
        key = str(uuid4())
        first, second = (
            self.client.ask("genassistant", prompt="hats", country="DE", idempotency_key=key) for _ in range(2)
        )
        self.assertEqual(first.result, second.result)
        self.assertEqual((first.usage.replayed, second.usage.replayed), (False, True))
        with self.assertRaises(earshot.EarshotError) as raised:
            self.client.ask("genassistant", prompt="caps", country="DE", idempotency_key=key)
        self.assertEqual(raised.exception.code, "RESOURCE_ALREADY_EXISTS")
        self.assertEqual(raised.exception.details["requestId"], first.usage.request_id)

    def test_errors(self) -> None:
        with self.assertRaises(earshot.EarshotError) as raised:
            self.client.ask("chatassistant", prompt="", country="Mars")
        error = raised.exception
        self.assertEqual((error.code, error.status), ("VALIDATION_ERROR", 400))
        self.assertEqual({p["field"] for p in error.details}, {"prompt", "country"})
        self.assertIn("correct every field", error.next_step)
        self.assertIn("country: ", str(error))
        self.assertTrue(error.request_id)
        with self.assertRaises(earshot.EarshotError) as raised:
            earshot.Client(key="ear_live_wrong").credits()
        self.assertEqual((raised.exception.code, raised.exception.status), ("INVALID_API_KEY", 401))


class TaskTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = earshot.Client()
        self.addCleanup(self.client.close)

    def test_wait(self) -> None:
        task = self.client.tasks.submit("chatassistant", prompt="gloves", country="US", priority=7)
        self.assertTrue(task.wait(timeout=300)["text"])
        self.assertEqual(task.record["task"]["status"], "COMPLETED")
        self.assertEqual(task.record["task"]["priority"], 7)
        self.assertEqual(self.client.tasks.wait(task.id), task.wait())

    def test_failed(self) -> None:
        task = self.client.tasks.submit("chatassistant", prompt="gloves [[status=503]]", country="US")
        with self.assertRaises(earshot.TaskError) as raised:
            task.wait(timeout=300)
        self.assertEqual(raised.exception.code, "EXTERNAL_SERVICE_ERROR")
        self.assertEqual(raised.exception.details["reason"], "unavailable")
        self.assertEqual(raised.exception.record, task.record)
        self.assertIn(task.id, str(raised.exception))

    def test_batch(self) -> None:
        prompts = [f"gloves {n}" for n in range(20)] + ["gloves [[status=503]]", ""]
        batch = self.client.tasks.submit_batch([chat(p) for p in prompts])
        self.assertEqual(batch["summary"], {"total": 22, "succeeded": 21, "failed": 1})
        refused = batch["results"][21]["error"]
        self.assertEqual(refused["code"], "VALIDATION_ERROR")
        ids = [item["task"]["id"] for item in batch["results"] if item["success"]]
        ended = list(self.client.tasks.wait_all(ids, timeout=300))
        self.assertEqual(sorted(r["task"]["id"] for r in ended), sorted(ids))
        self.assertEqual([r["error"]["code"] for r in ended if "error" in r], ["EXTERNAL_SERVICE_ERROR"])
        results = list(self.client.batches.results(batch["batchId"]).records())
        self.assertEqual([r["index"] for r in results], list(range(21)))
        table = pandas.read_csv(BytesIO(self.client.batches.results(batch["batchId"], format="csv").read()))
        self.assertEqual(list(table["index"]), list(range(21)))

    def test_missing_task(self) -> None:
        absent = "01a0805a-0000-7000-8000-000000000000"
        task = self.client.tasks.submit("genassistant", prompt="scarves", country="US")
        ended = self.client.tasks.wait_all([absent, task], timeout=300)
        self.assertEqual(next(ended)["task"]["id"], task.id)
        with self.assertRaises(earshot.TaskError) as raised:
            next(ended)
        self.assertEqual((raised.exception.task_id, raised.exception.code), (absent, "RESOURCE_NOT_FOUND"))

    def test_pages(self) -> None:
        batch = self.client.tasks.submit_batch([chat(f"page {n}") for n in range(60)])
        ids = [item["task"]["id"] for item in batch["results"]]
        listed = [r["task"]["id"] for r in self.client.tasks.list(task_type="CHATASSISTANT")]
        self.assertLessEqual(set(ids), set(listed))  # more than a page
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual(len(list(self.client.tasks.list(limit=55))), 55)
        self.assertEqual(len(list(islice(self.client.tasks.list(), 3))), 3)
        self.assertEqual(len(list(self.client.tasks.wait_all(ids, timeout=300))), 60)

    def test_quote(self) -> None:
        tasks = [chat("hats")]
        quote = self.client.quote(tasks)
        self.assertGreater(quote["items"][0]["creditsToCharge"], 0)
        self.assertEqual(quote, self.client.quote(tasks[0]))

    def test_webhook(self) -> None:
        received: queue.Queue[tuple[Message, bytes]] = queue.Queue()

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.put((self.headers, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        with TCPServer(("127.0.0.1", 0), Receiver) as server:
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            url = f"http://127.0.0.1:{server.server_address[1]}/"
            task = self.client.tasks.submit("chatassistant", prompt="hats", country="US", webhook=url)
            headers, body = received.get(timeout=300)
            server.shutdown()
        event: Any = earshot.verify_webhook(headers, body, SECRET)
        self.assertEqual(event["task"]["id"], task.id)
        self.assertEqual(event["result"], task.wait())
        with self.assertRaises(earshot.SignatureError):
            earshot.verify_webhook(headers, body + b" ", SECRET)


class TrackerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = earshot.Client()
        self.addCleanup(self.client.close)

    def test_life(self) -> None:
        trackers = self.client.trackers
        self.assertTrue(trackers.apply("hats", HATS, dry_run=True)["dryRun"])
        self.assertTrue(trackers.apply("hats", HATS)["created"])
        yaml = "prompts: [best hats, {text: warm hats, tags: [winter]}]\n"
        yaml += "targets: [{provider: genassistant, country: US}]\n"
        self.assertFalse(trackers.apply("hats", yaml)["changed"])
        self.assertIn("hats", [tracker["name"] for tracker in trackers.list()])
        self.assertEqual(trackers.change("hats", state="paused")["state"], "paused")
        key = str(uuid4())
        started = self.client.sweeps.start("hats", idempotency_key=key)["sweep"]
        self.assertEqual(self.client.sweeps.start("hats", idempotency_key=key)["sweep"]["id"], started["id"])
        self.assertEqual([s["id"] for s in self.client.sweeps.list("hats")], [started["id"]])
        self.assertEqual(self.client.sweeps.get("hats", started["id"])["slot"], started["slot"])
        trackers.delete("hats")
        with self.assertRaises(earshot.EarshotError) as raised:
            trackers.get("hats")
        self.assertEqual(raised.exception.code, "RESOURCE_NOT_FOUND")
        for name in ("", ".", ".."):
            with self.assertRaises(ValueError):
                trackers.get(name)

    def test_metrics_in_pandas(self) -> None:
        rows = self.client.trackers.metrics(TRACKER, metric="visibility,position", by="day")
        table = pandas.DataFrame(rows)
        self.assertEqual(len(table), len(rows.report["rows"]))
        nested = [name for name in table if table[name].map(type).isin([dict, list]).any()]
        self.assertEqual(nested, [])
        rates = table[(table["metric"] == "visibility@m1") & table["rerun.low"].notna()]
        self.assertTrue((rates["rerun.low"] <= rates["value"]).all())
        self.assertTrue((rates["value"] <= rates["rerun.high"]).all())
        self.assertGreater(len(rates), 0)
        self.assertIn("places.first", table.columns)

    def test_comparison_in_pandas(self) -> None:
        day = datetime.now(timezone.utc).date()
        rows = self.client.trackers.compare(
            TRACKER,
            metric="visibility",
            from_=str(day - timedelta(days=4)),
            to=str(day),
            baseline_from=str(day - timedelta(days=9)),
            baseline_to=str(day - timedelta(days=5)),
        )
        table = pandas.DataFrame(rows)
        compared = table[table["interval.low"].notna()]
        self.assertTrue((compared["interval.low"] <= compared["change"]).all())
        self.assertGreater(len(compared), 0)

    def test_exports(self) -> None:
        answers = list(self.client.trackers.export(TRACKER).records())
        listed = list(self.client.answers.list(TRACKER))
        self.assertEqual([a["id"] for a in answers], [a["id"] for a in listed])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answers.parquet"
            self.client.trackers.export(TRACKER, format="parquet").save(file)
            self.assertEqual(file.read_bytes()[:4], b"PAR1")
            self.assertEqual([f.name for f in Path(folder).iterdir()], ["answers.parquet"])
        self.assertIn(b"<html", self.client.trackers.report(TRACKER).read())


class AccountTest(unittest.TestCase):
    def test_live(self) -> None:
        with earshot.Client() as client:
            events = client.live()
            first = next(events)
            self.assertIsNotNone(first.status)
            task = client.tasks.submit("genassistant", prompt="live", country="US")
            for event in events:
                if event.tasks is not None and task.id in str(event.tasks):
                    break

    def test_keys(self) -> None:
        with earshot.Client() as client:
            expires = datetime.now(timezone.utc) + timedelta(hours=1)
            made = client.keys.create(scopes=["read"], expires_at=expires)
            self.assertIn(made["key"]["id"], [key["id"] for key in client.keys.list()])
            with self.assertRaises(earshot.EarshotError) as raised:
                earshot.Client(key=made["secret"]).ask("genassistant", prompt="hats", country="US")
            self.assertEqual(raised.exception.code, "INSUFFICIENT_PERMISSIONS")
            self.assertIsNotNone(client.keys.revoke(made["key"]["id"])["revokedAt"])

    def test_account(self) -> None:
        with earshot.Client() as client:
            self.assertGreater(client.credits()["remaining"], 0)
            self.assertEqual(next(client.ledger(kind="grant"))["kind"], "grant")
            self.assertNotIn("CN", client.countries(model="chatassistant"))
            self.assertEqual(len(client.states(country="US")), 51)
            self.assertIn("nextCursor", client.events(cursor="latest"))
            self.assertTrue(client.ready())


if __name__ == "__main__":
    unittest.main()
