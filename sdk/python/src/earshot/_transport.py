"""Sends requests, synchronously. `_async_transport` does the same with await."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from typing import Any, Iterator, Mapping, TypeVar

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

__all__ = ["Group", "Iterator", "Stream", "Transport"]

T = TypeVar("T")


class Transport:
    """Sends the requests of one client."""

    def __init__(self, settings: Settings, http: httpx.Client | None) -> None:
        self._settings = settings
        self._http = http or httpx.Client()
        self._own = http is None

    def close(self) -> None:
        if self._own:
            self._http.close()

    def send(self, call: Call[T]) -> T:
        """Send a call and return its result."""
        try:
            return result(call, self._respond(call, stream=False))
        except EarshotError as error:
            if call.removes and call.unsure and error.code == "RESOURCE_NOT_FOUND":
                return None  # type: ignore[return-value]  # removed by an earlier attempt
            raise

    def ask(self, provider: str, request: Mapping[str, Any], key: str | None) -> Answer[Any]:
        """Ask a provider."""
        return answer(self._respond(monitor(provider, request, key), stream=False))

    def items(self, call: Call[T], name: str, limit: int | None) -> Iterator[T]:
        """Return the items of all pages."""
        remaining = sys.maxsize if limit is None else limit
        cursor = None
        while remaining > 0:
            query: dict[str, object] = {**call.query, "cursor": cursor, "limit": min(remaining, PAGE)}
            page = self.send(Call[Any](call.method, call.path, query=query))
            yield from page[name][:remaining]
            remaining -= len(page[name])
            if page["nextCursor"] in (None, cursor):  # the same again would be an endless loop
                return
            cursor = page["nextCursor"]

    def stream(self, call: Call[bytes]) -> Stream:
        """Return a response that is read in parts."""
        return Stream(self, call)

    def chunks(self, call: Call[bytes]) -> Iterator[bytes]:
        """Send a call and return the parts of its body."""
        response = self._respond(replace(call), stream=True)
        try:
            yield from response.iter_bytes()
        except httpx.HTTPError as error:
            raise lost(error, self._settings.url) from error
        finally:
            response.close()

    def live(self, call: Call[bytes]) -> Iterator[LiveEvent]:
        """Return the events of a stream of server-sent events."""
        events = Events()
        for chunk in self.chunks(call):
            yield from events.feed(chunk)

    def _respond(self, call: Call[Any], *, stream: bool) -> httpx.Response:
        """Send a call until it succeeds or fails permanently."""
        while True:
            try:
                return self._attempt(call, stream)
            except EarshotError as error:
                wait = pause(call, error, self._settings.retries)
            time.sleep(wait)

    def _attempt(self, call: Call[Any], stream: bool) -> httpx.Response:
        try:
            request = self._http.build_request(**self._settings.request(call))
            # The API sends no redirects; following a proxy's could send the key to another host.
            response = self._http.send(request, stream=stream, follow_redirects=False)
            if response.status_code != 200:
                response.read()
                raise failure(response)
            return response
        except httpx.HTTPError as error:
            raise lost(error, self._settings.url) from error


class Stream:
    """A response that is read in parts. The request is sent when reading begins."""

    def __init__(self, transport: Transport, call: Call[bytes]) -> None:
        self._transport = transport
        self._call = call

    def __iter__(self) -> Iterator[bytes]:
        return self._transport.chunks(self._call)

    def read(self) -> bytes:
        """Return the whole body."""
        return b"".join(self)

    def records(self) -> Iterator[Any]:
        """Return the objects of a response with one JSON object per line."""
        lines = Lines()
        for chunk in self:
            yield from map(json.loads, lines.feed(chunk))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the body to a file, which appears when it is complete."""
        part = f"{os.fspath(path)}.part"
        with open(part, "wb") as file:
            for chunk in self:
                file.write(chunk)
        os.replace(part, path)


class Group:
    """Methods that share a transport."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
