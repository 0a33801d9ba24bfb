"""Submitting tasks and waiting for them with await. `_tasks` does the same synchronously."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Generic, Iterable, Mapping, TypeVar, cast

from . import types as t
from . import _wait
from ._call import Call
from ._errors import EarshotError
from ._async_transport import AsyncGroup

T = TypeVar("T")


class AsyncTaskGroup(AsyncGroup):
    """The methods of `client.tasks` that are more than one request."""

    async def wait(self, id: str, *, timeout: float | None = None) -> Any:
        """Wait until a task ends and return its result.

        Raises TaskError if the task failed, and TimeoutError if it has not ended after
        `timeout` seconds.
        """
        return _wait.outcome(await self._ended(id, timeout))

    async def _ended(self, id: str, timeout: float | None) -> t.TaskRecord:
        waiting = _wait.Waiting([id], timeout)
        while True:
            record = await self._transport.send(_wait.get(id))
            if waiting.ended([record]):
                return record
            await asyncio.sleep(waiting.pause())

    async def wait_all(
        self, tasks: Iterable[str | AsyncTask[Any]], *, timeout: float | None = None
    ) -> AsyncIterator[t.TaskRecord]:
        """Return each task when it has ended, completed or failed.

        Needs few requests for many tasks. Raises TaskError at the end if a task does not exist,
        for example because it was canceled, and TimeoutError if tasks have not ended after
        `timeout` seconds.

        Args:
            tasks: Tasks or their ids.
        """
        waiting = _wait.Waiting((x if isinstance(x, str) else x.id for x in tasks), timeout)
        # The cursor comes before the lookup, so that no task ends unnoticed in between.
        page = await self._transport.send(_wait.events("latest"))
        while waiting.pending:
            if waiting.look_up_now():
                async for record in self._look_up(waiting):
                    yield record
            page = await self._transport.send(_wait.events(page["nextCursor"]))
            for record in waiting.ended(page["events"]):
                yield record
            if waiting.pending and not waiting.is_full(page):
                await asyncio.sleep(waiting.pause())
        waiting.finish()

    async def _look_up(self, waiting: _wait.Waiting) -> AsyncIterator[t.TaskRecord]:
        """Return pending tasks that have ended."""
        oldest = min(waiting.pending)
        under_way = set()
        if limit := waiting.listed():
            async for record in self._transport.items(_wait.task_list(), "tasks", limit):
                if record["task"]["id"] < oldest:  # ids are ordered by time
                    break
                if record["task"]["finishedAt"] is None:
                    under_way.add(record["task"]["id"])
        for id in sorted(waiting.pending - under_way):
            try:
                found = waiting.ended([await self._transport.send(_wait.get(id))])
            except EarshotError as error:
                waiting.gone(id, error)
            else:
                for record in found:
                    yield record

    async def _submit(
        self,
        provider: str,
        request: Mapping[str, Any],
        priority: int | None,
        webhook: str | None,
        key: str | None,
    ) -> AsyncTask[Any]:
        call = _wait.submission(provider, request, priority, webhook, key)
        try:
            record = await self._transport.send(call)
        except EarshotError as error:
            stored = await self._stored(call, call.body, error.code, error.details)
            if stored is None:
                raise
            record = stored
        return AsyncTask(self, record)

    async def _submit_batch(self, call: Call[t.Batch], tasks: list[t.TaskRequest]) -> t.Batch:
        batch = await self._transport.send(call)
        for item in batch["results"]:
            if "error" in item:
                task, error = tasks[item["index"]], item["error"]
                stored = await self._stored(call, task, error["code"], error.get("details"))
                if stored is not None:
                    _wait.adopt(batch, item, stored)
        return batch

    async def _stored(
        self, call: Call[Any], task: Any, code: str, details: Any
    ) -> t.TaskRecord | None:
        """Return the task that an earlier attempt of the call has queued, if that is the case."""
        if not call.unsure or code != "RESOURCE_ALREADY_EXISTS" or "taskId" not in details:
            return None
        try:
            record = await self._transport.send(_wait.get(details["taskId"]))
        except EarshotError:
            return None  # the refusal says more
        return record if _wait.is_same(task, record) else None


class AsyncTask(Generic[T]):
    """A submitted task. `record` is its last known state."""

    def __init__(self, tasks: AsyncTaskGroup, record: t.TaskRecord) -> None:
        self._tasks = tasks
        self.record = record

    @property
    def id(self) -> str:
        return self.record["task"]["id"]

    async def wait(self, *, timeout: float | None = None) -> T:
        """Wait until the task ends and return its result.

        Raises TaskError if the task failed, and TimeoutError if it has not ended after
        `timeout` seconds. The task itself continues then.
        """
        self.record = await self._tasks._ended(self.id, timeout)
        return cast(T, _wait.outcome(self.record))

    def __repr__(self) -> str:
        return f"<AsyncTask {self.id} {self.record['task']['status']}>"
