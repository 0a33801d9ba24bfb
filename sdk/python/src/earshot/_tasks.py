"""Submitting tasks and waiting for them. `_async_tasks` does the same with await."""

from __future__ import annotations

import time
from typing import Any, Generic, Iterable, Iterator, Mapping, TypeVar, cast

from . import types as t
from . import _wait
from ._call import Call
from ._errors import EarshotError
from ._transport import Group

T = TypeVar("T")


class TaskGroup(Group):
    """The methods of `client.tasks` that are more than one request."""

    def wait(self, id: str, *, timeout: float | None = None) -> Any:
        """Wait until a task ends and return its result.

        Raises TaskError if the task failed, and TimeoutError if it has not ended after
        `timeout` seconds.
        """
        return _wait.outcome(self._ended(id, timeout))

    def _ended(self, id: str, timeout: float | None) -> t.TaskRecord:
        waiting = _wait.Waiting([id], timeout)
        while True:
            record = self._transport.send(_wait.get(id))
            if waiting.ended([record]):
                return record
            time.sleep(waiting.pause())

    def wait_all(
        self, tasks: Iterable[str | Task[Any]], *, timeout: float | None = None
    ) -> Iterator[t.TaskRecord]:
        """Return each task when it has ended, completed or failed.

        Needs few requests for many tasks. Raises TaskError at the end if a task does not exist,
        for example because it was canceled, and TimeoutError if tasks have not ended after
        `timeout` seconds.

        Args:
            tasks: Tasks or their ids.
        """
        waiting = _wait.Waiting((x if isinstance(x, str) else x.id for x in tasks), timeout)
        # The cursor comes before the lookup, so that no task ends unnoticed in between.
        page = self._transport.send(_wait.events("latest"))
        while waiting.pending:
            if waiting.look_up_now():
                yield from self._look_up(waiting)
            page = self._transport.send(_wait.events(page["nextCursor"]))
            yield from waiting.ended(page["events"])
            if waiting.pending and not waiting.is_full(page):
                time.sleep(waiting.pause())
        waiting.finish()

    def _look_up(self, waiting: _wait.Waiting) -> Iterator[t.TaskRecord]:
        """Return pending tasks that have ended."""
        oldest = min(waiting.pending)
        under_way = set()
        if limit := waiting.listed():
            for record in self._transport.items(_wait.task_list(), "tasks", limit):
                if record["task"]["id"] < oldest:  # ids are ordered by time
                    break
                if record["task"]["finishedAt"] is None:
                    under_way.add(record["task"]["id"])
        for id in sorted(waiting.pending - under_way):
            try:
                found = waiting.ended([self._transport.send(_wait.get(id))])
            except EarshotError as error:
                waiting.gone(id, error)
            else:
                yield from found

    def _submit(
        self,
        provider: str,
        request: Mapping[str, Any],
        priority: int | None,
        webhook: str | None,
        key: str | None,
    ) -> Task[Any]:
        call = _wait.submission(provider, request, priority, webhook, key)
        try:
            record = self._transport.send(call)
        except EarshotError as error:
            stored = self._stored(call, call.body, error.code, error.details)
            if stored is None:
                raise
            record = stored
        return Task(self, record)

    def _submit_batch(self, call: Call[t.Batch], tasks: list[t.TaskRequest]) -> t.Batch:
        batch = self._transport.send(call)
        for item in batch["results"]:
            if "error" in item:
                task, error = tasks[item["index"]], item["error"]
                stored = self._stored(call, task, error["code"], error.get("details"))
                if stored is not None:
                    _wait.adopt(batch, item, stored)
        return batch

    def _stored(
        self, call: Call[Any], task: Any, code: str, details: Any
    ) -> t.TaskRecord | None:
        """Return the task that an earlier attempt of the call has queued, if that is the case."""
        if not call.unsure or code != "RESOURCE_ALREADY_EXISTS" or "taskId" not in details:
            return None
        try:
            record = self._transport.send(_wait.get(details["taskId"]))
        except EarshotError:
            return None  # the refusal says more
        return record if _wait.is_same(task, record) else None


class Task(Generic[T]):
    """A submitted task. `record` is its last known state."""

    def __init__(self, tasks: TaskGroup, record: t.TaskRecord) -> None:
        self._tasks = tasks
        self.record = record

    @property
    def id(self) -> str:
        return self.record["task"]["id"]

    def wait(self, *, timeout: float | None = None) -> T:
        """Wait until the task ends and return its result.

        Raises TaskError if the task failed, and TimeoutError if it has not ended after
        `timeout` seconds. The task itself continues then.
        """
        self.record = self._tasks._ended(self.id, timeout)
        return cast(T, _wait.outcome(self.record))

    def __repr__(self) -> str:
        return f"<Task {self.id} {self.record['task']['status']}>"
