"""Sends requests with await. `_transport` does the same synchronously."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from typing import Any, AsyncIterator, Mapping, TypeVar

import httpx

from ._call import (
    PAGE,
    Answer,
    Call,
    Events,
    Lines,
    LiveEvent,
    Settings,
    answer,
    failure,
    lost,
    monitor,
    result,
)
from ._errors import EarshotError
from ._retry import pause

__all__ = ["AsyncGroup", "AsyncIterator", "AsyncStream", "AsyncTransport"]

T = TypeVar("T")


class AsyncTransport:
    """Sends the requests of one client."""

    def __init__(self, settings: Settings, http: httpx.AsyncClient | None) -> None:
        self._settings = settings
        self._http = http or httpx.AsyncClient()
        self._own = http is None

    async def close(self) -> None:
        if self._own:
            await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """Send a call and return its result."""
        try:
            return result(call, await self._respond(call, stream=False))
        except EarshotError as error:
            if call.removes and call.unsure and error.code == "RESOURCE_NOT_FOUND":
                return None  # type: ignore[return-value]  # removed by an earlier attempt
            raise

    async def ask(self, provider: str, request: Mapping[str, Any], key: str | None) -> Answer[Any]:
        """Ask a provider."""
        return answer(await self._respond(monitor(provider, request, key), stream=False))

    async def items(self, call: Call[T], name: str, limit: int | None) -> AsyncIterator[T]:
        """Return the items of all pages."""
        remaining = sys.maxsize if limit is None else limit
        cursor = None
        while remaining > 0:
            query: dict[str, object] = {**call.query, "cursor": cursor, "limit": min(remaining, PAGE)}
            page = await self.send(Call[Any](call.method, call.path, query=query))
            for item in page[name][:remaining]:
                yield item
            remaining -= len(page[name])
            if page["nextCursor"] in (None, cursor):  # the same again would be an endless loop
                return
            cursor = page["nextCursor"]

    def stream(self, call: Call[bytes]) -> AsyncStream:
        """Return a response that is read in parts."""
        return AsyncStream(self, call)

    async def chunks(self, call: Call[bytes]) -> AsyncIterator[bytes]:
        """Send a call and return the parts of its body."""
        response = await self._respond(replace(call), stream=True)
        try:
            async for chunk in response.aiter_bytes():
                yield chunk
        except httpx.HTTPError as error:
            raise lost(error, self._settings.url) from error
        finally:
            await response.aclose()

    async def live(self, call: Call[bytes]) -> AsyncIterator[LiveEvent]:
        """Return the events of a stream of server-sent events."""
        events = Events()
        async for chunk in self.chunks(call):
            for event in events.feed(chunk):
                yield event

    async def _respond(self, call: Call[Any], *, stream: bool) -> httpx.Response:
        """Send a call until it succeeds or fails permanently."""
        while True:
            try:
                return await self._attempt(call, stream)
            except EarshotError as error:
                wait = pause(call, error, self._settings.retries)
            await asyncio.sleep(wait)

    async def _attempt(self, call: Call[Any], stream: bool) -> httpx.Response:
        try:
            request = self._http.build_request(**self._settings.request(call))
            # The API sends no redirects; following a proxy's could send the key to another host.
            response = await self._http.send(request, stream=stream, follow_redirects=False)
            if response.status_code != 200:
                await response.aread()
                raise failure(response)
            return response
        except httpx.HTTPError as error:
            raise lost(error, self._settings.url) from error


class AsyncStream:
    """A response that is read in parts. The request is sent when reading begins."""

    def __init__(self, transport: AsyncTransport, call: Call[bytes]) -> None:
        self._transport = transport
        self._call = call

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._transport.chunks(self._call)

    async def read(self) -> bytes:
        """Return the whole body."""
        return b"".join([chunk async for chunk in self])

    async def records(self) -> AsyncIterator[Any]:
        """Return the objects of a response with one JSON object per line."""
        lines = Lines()
        async for chunk in self:
            for line in lines.feed(chunk):
                yield json.loads(line)

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Write the body to a file, which appears when it is complete."""
        part = f"{os.fspath(path)}.part"
        with open(part, "wb") as file:
            async for chunk in self:
                file.write(chunk)
        os.replace(part, path)


class AsyncGroup:
    """Methods that share a transport."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
