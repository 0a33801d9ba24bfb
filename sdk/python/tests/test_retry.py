"""Retries, lost responses and errors, against a server that misbehaves."""

from __future__ import annotations

import asyncio
import inspect
import json
import ssl
import unittest
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from operator import attrgetter
from typing import Any
from unittest import mock

import httpx

import earshot
from misbehaving import LOST, Reply, Server, refusal

BUSY = refusal(503, "SERVICE_UNAVAILABLE", headers={"Retry-After": "7"})
LIMITED = refusal(429, "RATE_LIMIT_EXCEEDED")
BAD_GATEWAY = Reply(502, b"<html>bad gateway</html>")
CONFLICT = refusal(409, "RESOURCE_CONFLICT", details={"requestId": "r-0"})
MISSING = refusal(404, "RESOURCE_NOT_FOUND", details={"resource": "task"})
ANSWERED = Reply(200, {"success": True, "result": {"text": "Hats."}}, {"X-Credits-Charged": "5"})
CHAT: Any = {"prompt": "hats", "country": "DE"}
TASK = {"taskType": "CHATASSISTANT", "payload": CHAT}


def record(**more: Any) -> dict[str, Any]:
    task = {"id": "01a0805a-0000-7000-8000-000000000001", "priority": 1, "finishedAt": None, **TASK, **more}
    return {"task": task, "credits": {"creditsToCharge": 5, "creditsCharged": 0}}


DUPLICATE: Any = {"code": "RESOURCE_ALREADY_EXISTS", "message": "no", "details": {"taskId": "t-1"}}


# Clients of our own, because reading the system's certificates takes longer than a test.
HTTP = httpx.Client(verify=False)


class Outcome:
    """What a call returned or raised, and the waits between its attempts."""

    def __init__(self, url: str, kind: str, method: str, args: Any, options: Any) -> None:
        self.value: Any = None
        self.error: Any = None
        with mock.patch("time.sleep") as sleep, mock.patch("asyncio.sleep") as async_sleep:
            try:
                if kind == "sync":
                    with earshot.Client(url, "key", http_client=HTTP) as client:
                        self.value = attrgetter(method)(client)(*args, **options)
                else:
                    self.value = asyncio.run(self._await(url, method, args, options))
            except earshot.EarshotError as error:
                self.error = error
        self.waits = [c.args[0] for c in sleep.mock_calls + async_sleep.mock_calls if c.args]

    async def _await(self, url: str, method: str, args: Any, options: Any) -> Any:
        http = httpx.AsyncClient(verify=False)
        async with http, earshot.AsyncClient(url, "key", http_client=http) as client:
            return await attrgetter(method)(client)(*args, **options)


class RetryTest(unittest.TestCase):
    def attempts(
        self, replies: list[Reply], method: str, *args: Any, count: int, code: str | None = None, **options: Any
    ) -> list[Outcome]:
        """Run a method of both clients, and check how often it is sent and how it ends."""
        outcomes = []
        for kind in ("sync", "async"):
            with self.subTest(kind), Server(*replies) as server:
                outcome = Outcome(server.url, kind, method, args, options)
                self.assertEqual(len(server.requests), count)
                self.assertEqual(outcome.error and outcome.error.code, code)
                self.assertEqual(len({r.body for r in server.requests}), 1)
                outcomes.append(outcome)
        return outcomes

    def test_refused_requests_are_always_repeated(self) -> None:
        for outcome in self.attempts([LIMITED, BUSY, ANSWERED], "ask", "chatassistant", **CHAT, count=3):
            self.assertEqual(outcome.value.result["text"], "Hats.")
            self.assertEqual(outcome.value.usage.credits_charged, 5)
            first, second = outcome.waits
            self.assertTrue(0.125 <= first <= 0.25, first)
            self.assertEqual(second, 7)  # Retry-After

    def test_retries_end(self) -> None:
        for outcome in self.attempts([LIMITED] * 9, "credits", count=5, code="RATE_LIMIT_EXCEEDED"):
            for n, wait in enumerate(outcome.waits):
                self.assertTrue(0.125 * 2**n <= wait <= 0.25 * 2**n, (n, wait))
            self.assertIn("wait one second", outcome.error.next_step)

    def test_retry_after_as_a_date(self) -> None:
        at = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=20), usegmt=True)
        busy = refusal(503, "SERVICE_UNAVAILABLE", headers={"Retry-After": at})
        for outcome in self.attempts([busy, Reply()], "credits", count=2):
            self.assertTrue(15 < outcome.waits[0] <= 20, outcome.waits)

    def test_long_retry_after_is_an_error(self) -> None:
        busy = refusal(503, "SERVICE_UNAVAILABLE", headers={"Retry-After": "31"})
        self.attempts([busy], "credits", count=1, code="SERVICE_UNAVAILABLE")

    def test_lost_responses_of_idempotent_requests_are_repeated(self) -> None:
        truncated = Reply(200, b'{"plan"', length=1000)
        for outcome in self.attempts([LOST, truncated, BAD_GATEWAY, Reply(200, {"plan": "x"})], "credits", count=4):
            self.assertEqual(outcome.value, {"plan": "x"})

    def test_lost_responses_of_other_requests_are_errors(self) -> None:
        calls: list[tuple[str, list[Any], Any]] = [
            ("ask", ["chatassistant"], CHAT),
            ("tasks.submit", ["chatassistant"], CHAT),
            ("tasks.submit_batch", [[{**TASK, "idempotencyKey": "a"}, TASK]], {}),
            ("sweeps.start", ["shoes"], {}),
        ]
        for method, args, options in calls:
            for outcome in self.attempts([LOST], method, *args, **options, count=1, code=""):
                self.assertIsInstance(outcome.error, earshot.ConnectionFailed)
                self.assertFalse(outcome.error.unsent)
            for outcome in self.attempts([BAD_GATEWAY], method, *args, **options, count=1, code=""):
                self.assertEqual(outcome.error.status, 502)

    def test_keys_make_requests_repeatable(self) -> None:
        done = Reply(200, {"sweep": {}})
        # Methods without this argument send a key of their own.
        self.attempts([LOST, Reply(200, {"secret": "s"})], "webhooks.rotate_secret", count=2)
        self.attempts([LOST, done], "sweeps.start", "shoes", idempotency_key="k", count=2)
        # The first attempt is still running, then it has ended.
        replies = [LOST, CONFLICT, ANSWERED]
        self.attempts(replies, "ask", "chatassistant", **CHAT, idempotency_key="k", count=3)
        # A call of another program has the key.
        self.attempts(
            [CONFLICT], "ask", "chatassistant", **CHAT, idempotency_key="k", count=1, code="RESOURCE_CONFLICT"
        )

    def test_the_key_is_sent(self) -> None:
        with Server(ANSWERED) as server, earshot.Client(server.url, "key\n") as client:
            client.ask("websearch", query="hats", include={"html": True}, idempotency_key="k-1")
        headers = server.requests[0].headers
        self.assertEqual(headers["Idempotency-Key"], "k-1")
        self.assertEqual(headers["Authorization"], "Bearer key")
        self.assertRegex(headers["User-Agent"], r"^earshot-python/\d")
        self.assertEqual(json.loads(server.requests[0].body), {"query": "hats", "include": {"html": True}})

    def test_other_errors_are_permanent(self) -> None:
        for code in ("VALIDATION_ERROR", "CONCURRENT_LIMIT_EXCEEDED", "INTERNAL_SERVER_ERROR"):
            self.attempts([refusal(500, code)], "credits", count=1, code=code)
        for outcome in self.attempts([Reply(200, b"<html>")], "credits", count=1, code=""):
            self.assertIn("is not Earshot", str(outcome.error))

    def test_redirects_are_not_followed(self) -> None:
        for outcome in self.attempts([Reply(302, b"", {"Location": "/v1/x"})], "credits", count=1, code=""):
            self.assertEqual(outcome.error.status, 302)
        with Server(Reply(302, b"", {"Location": "/v1/x"})) as server:
            client = earshot.Client(server.url, "key", http_client=httpx.Client(follow_redirects=True))
            with self.assertRaises(earshot.EarshotError):
                client.credits()
            self.assertEqual(len(server.requests), 1)

    def test_removing_what_an_earlier_attempt_removed(self) -> None:
        self.attempts([LOST, MISSING], "tasks.cancel", "t-1", count=2)
        self.attempts([MISSING], "tasks.cancel", "t-1", count=1, code="RESOURCE_NOT_FOUND")

    def test_a_task_that_an_earlier_attempt_queued(self) -> None:
        duplicate = refusal(409, **DUPLICATE)
        same, other = Reply(200, record()), Reply(200, record(priority=2))
        options: Any = {**CHAT, "idempotency_key": "k"}
        with self.subTest("lost"), Server(LOST, duplicate, same) as server, mock.patch("time.sleep"):
            task = earshot.Client(server.url, "key").tasks.submit("chatassistant", **options)
            self.assertEqual(task.id, record()["task"]["id"])
        for replies in ([duplicate], [LOST, duplicate, other]):
            with self.subTest(len(replies)), Server(*replies) as server, mock.patch("time.sleep"):
                with self.assertRaises(earshot.EarshotError) as raised:
                    earshot.Client(server.url, "key").tasks.submit("chatassistant", **options)
                self.assertEqual(raised.exception.code, "RESOURCE_ALREADY_EXISTS")
                self.assertEqual(raised.exception.details, {"taskId": "t-1"})

    def test_a_batch_that_an_earlier_attempt_queued(self) -> None:
        items = [{"index": 0, "success": False, "error": DUPLICATE}]
        batch = {"summary": {"total": 1, "succeeded": 0, "failed": 1}, "results": items}
        tasks: Any = [{**TASK, "idempotencyKey": "k"}]
        with Server(LOST, Reply(200, batch), Reply(200, record())) as server, mock.patch("time.sleep"):
            done = earshot.Client(server.url, "key").tasks.submit_batch(tasks)
        self.assertEqual(done["summary"], {"total": 1, "succeeded": 1, "failed": 0})
        self.assertEqual(done["results"][0]["task"], record()["task"])
        self.assertNotIn("error", done["results"][0])

    def test_no_connection(self) -> None:
        with Server() as server:
            url = server.url
        for kind in ("sync", "async"):
            outcome = Outcome(url, kind, "ask", ["chatassistant"], CHAT)
            self.assertIsInstance(outcome.error, earshot.ConnectionFailed)
            self.assertTrue(outcome.error.unsent)
            self.assertEqual(len(outcome.waits), 4)
            self.assertIn(url, str(outcome.error))

    def test_an_untrusted_certificate_is_permanent(self) -> None:
        from earshot._call import Call, lost
        from earshot._retry import pause

        error = httpx.ConnectError("certificate verify failed")
        error.__cause__ = ssl.SSLCertVerificationError(1, "self-signed certificate")
        failed = lost(error, "https://earshot.example")
        with self.assertRaises(earshot.ConnectionFailed):
            pause(Call[Any]("GET", "/"), failed, 4)

    def test_a_broken_stream(self) -> None:
        with Server(Reply(200, b'{"a": 1}\n{"b', length=100)) as server:
            lines = earshot.Client(server.url, "key").trackers.export("shoes").records()
            self.assertEqual(next(lines), {"a": 1})
            with self.assertRaises(earshot.ConnectionFailed):
                next(lines)

    def test_streams_are_opened_again(self) -> None:
        with Server(LOST, Reply(200, b"a,b\n")) as server, mock.patch("time.sleep"):
            stream = earshot.Client(server.url, "key").trackers.export("shoes", format="csv")
            self.assertEqual(stream.read(), b"a,b\n")


class WaitTest(unittest.TestCase):
    """Tasks that do not end in time."""

    def test_wait(self) -> None:
        id = record()["task"]["id"]
        for kind in ("sync", "async"):
            with self.subTest(kind), Server(Reply(200, record())) as server:
                with self.assertRaisesRegex(TimeoutError, id):
                    Outcome(server.url, kind, "tasks.wait", [id], {"timeout": 0})

    def test_wait_all(self) -> None:
        id = record()["task"]["id"]
        page = Reply(200, {"events": [], "nextCursor": "c-1"})
        with Server(page, Reply(200, record()), page) as server:
            with self.assertRaisesRegex(TimeoutError, id):
                list(earshot.Client(server.url, "key").tasks.wait_all([id.upper()], timeout=0))
        self.assertEqual(server.requests[0].path, "/v1/events?cursor=latest&limit=100")
        self.assertEqual(server.requests[2].path, "/v1/events?cursor=c-1&limit=100")


class ArgumentTest(unittest.TestCase):
    def test_environment(self) -> None:
        with mock.patch.dict("os.environ", {"EARSHOT_API_KEY": ""}):
            with self.assertRaisesRegex(ValueError, "EARSHOT_API_KEY"):
                earshot.Client()
        with self.assertRaisesRegex(ValueError, "localhost:8080.*http://"):
            earshot.Client("localhost:8080", "key")
        with Server(Reply(200, {"plan": "x"})) as server:
            with mock.patch.dict("os.environ", {"EARSHOT_API_KEY": "k", "EARSHOT_URL": server.url + "/"}):
                self.assertEqual(earshot.Client(user_agent="mine").credits(), {"plan": "x"})
        self.assertEqual(server.requests[0].path, "/v1/credits")
        self.assertEqual(server.requests[0].headers["User-Agent"], "mine")

    def test_unknown_provider(self) -> None:
        unknown: Any = "chatgpt"
        client = earshot.Client(key="key")
        methods: list[Any] = [client.ask, client.tasks.submit]
        for method in methods:
            with self.assertRaisesRegex(ValueError, "'chatgpt'; the providers are chatassistant, "):
                method(unknown, prompt="hats", country="US")

    def test_arguments_are_encoded(self) -> None:
        with Server(Reply(200, {"key": {}}), Reply(200, {"entries": [], "nextCursor": None})) as server:
            client = earshot.Client(server.url, "key")
            at = datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=1)))
            client.keys.create(scopes=["read"], expires_at=at)
            list(client.ledger(group=True, limit=3))
            self.assertFalse(inspect.isgenerator(client.trackers.export("a/b")))
            with self.assertRaises(earshot.EarshotError):
                client.trackers.get("a/b ü")
        keys, ledger, tracker = server.requests
        self.assertEqual(json.loads(keys.body), {"scopes": ["read"], "expiresAt": "2026-01-02T02:00:00Z"})
        self.assertEqual(ledger.path, "/v1/ledger?group=true&limit=3")
        self.assertEqual(tracker.path, "/v1/trackers/a%2Fb%20%C3%BC")


if __name__ == "__main__":
    unittest.main()
