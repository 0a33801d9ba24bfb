"""The requests about tasks, and the state of waiting for them. Both clients use this module."""

from __future__ import annotations

import time
from typing import Any, Iterable, Mapping

from . import types as t
from ._call import Call, fields, path, present, task_type
from ._errors import EarshotError, TaskError
from ._retry import backoff

# How often pending tasks are looked up, because canceled tasks never appear in the events.
_LOOKUP_EVERY = 30.0
# The largest page of the events.
_PAGE = 100
# From this many tasks on, reading a page of the list is cheaper than looking tasks up.
_TASKS_PER_PAGE = 10


class Waiting:
    """Which tasks have not ended, and how long to wait for them."""

    def __init__(self, ids: Iterable[str], timeout: float | None) -> None:
        self.pending = {id.lower() for id in ids}
        self._missing: list[TaskError] = []
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._looked_up = float("-inf")
        self._quiet = 0

    def ended(self, records: Iterable[t.TaskRecord]) -> list[t.TaskRecord]:
        """Return the pending tasks that have ended. From then on, they are not pending."""
        found = []
        for record in records:
            if record["task"]["id"] in self.pending and record["task"]["finishedAt"] is not None:
                self.pending.remove(record["task"]["id"])
                self._quiet = 0
                found.append(record)
        return found

    def gone(self, id: str, error: EarshotError) -> None:
        """Note that a task does not exist, or raise another error."""
        if error.code != "RESOURCE_NOT_FOUND":
            raise error
        self.pending.remove(id)
        self._missing.append(missing(id, error))

    def finish(self) -> None:
        """Raise the error of a task that does not exist."""
        if self._missing:
            raise self._missing[0]

    def look_up_now(self) -> bool:
        """Report whether it is time to look up the pending tasks."""
        if time.monotonic() - self._looked_up < _LOOKUP_EVERY:
            return False
        self._looked_up = time.monotonic()
        return True

    def listed(self) -> int:
        """Return how many tasks of the list to read before looking up the others."""
        return len(self.pending) // _TASKS_PER_PAGE * _PAGE

    def is_full(self, page: t.EventPage) -> bool:
        """Report whether more events may follow a page at once."""
        return len(page["events"]) == _PAGE

    def pause(self) -> float:
        """Return how many seconds to wait, or raise TimeoutError."""
        wait = backoff(0.1, 5, self._quiet)
        self._quiet += 1
        if self._deadline is None:
            return wait
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"not ended in time: task {', '.join(sorted(self.pending))}")
        return min(wait, left)


def missing(id: str, error: EarshotError) -> TaskError:
    """Return the error of a task that does not exist."""
    return TaskError(id, {"code": error.code, "message": error.message, "details": error.details})


def outcome(record: t.TaskRecord) -> t.TaskResult:
    """Return the result of an ended task, or raise its error."""
    if record["task"]["status"] == "FAILED":
        raise TaskError(record["task"]["id"], record["error"], record)
    return record["result"]


def get(id: str) -> Call[t.TaskRecord]:
    return Call[t.TaskRecord]("GET", path("/v1/async/task/{id}", id))


def events(cursor: str | None) -> Call[t.EventPage]:
    return Call[t.EventPage]("GET", "/v1/events", query={"cursor": cursor, "limit": _PAGE})


def task_list() -> Call[t.TaskRecord]:
    return Call[t.TaskRecord]("GET", "/v1/async/tasks")


def submission(
    provider: str,
    request: Mapping[str, Any],
    priority: int | None,
    webhook: str | None,
    key: str | None,
) -> Call[t.TaskRecord]:
    """Return the call that queues a task."""
    task = {
        "taskType": task_type(provider),
        "payload": fields(request),
        "priority": priority,
        "idempotencyKey": key,
        "webhook": webhook and {"url": webhook},
    }
    return Call[t.TaskRecord]("POST", "/v1/async/task", body=present(task), idempotent=key is not None)


def is_same(task: Any, record: t.TaskRecord) -> bool:
    """Report whether a stored task is the submitted one, so that an earlier attempt queued it."""
    stored = record["task"]
    webhook = record.get("webhook")
    return bool(
        task["taskType"] == stored["taskType"]
        and task["payload"] == stored["payload"]
        and task.get("priority", 1) == stored["priority"]
        and task.get("webhook", {}).get("url") == (webhook and webhook["url"])
    )


def adopt(batch: t.Batch, item: t.BatchItem, record: t.TaskRecord) -> None:
    """Mark a task of a batch as queued that an earlier attempt has queued."""
    item["success"] = True
    item["task"] = record["task"]
    item["credits"] = record["credits"]
    if "webhook" in record:
        item["webhook"] = record["webhook"]
    del item["error"]
    batch["summary"]["succeeded"] += 1
    batch["summary"]["failed"] -= 1
