"""Requests and responses, without sending them. Both clients use this module."""

from __future__ import annotations

import json
import os
import ssl
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Generic, Mapping, NamedTuple, TypeVar, cast
from uuid import uuid4
from urllib.parse import quote, urlsplit

import httpx

from . import types as t
from ._constants import TASK_TYPES, VERSION
from ._errors import ConnectionFailed, EarshotError

T = TypeVar("T")

PAGE = 50  # how many items a page of a list has at most


@dataclass
class Call(Generic[T]):
    """One request, and how its retries went so far."""

    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    body: object = None  # a str is sent as YAML, everything else as JSON
    returns: str = ""  # the field of the response to return; "" for the whole response
    idempotent: bool = True  # sending it twice has the same effect as sending it once
    removes: bool = False  # if it was sent before, "not found" means that it succeeded
    key: str | None = None  # the header Idempotency-Key
    keyed: bool = False  # gets a key, so that it can be repeated

    retries: int = field(default=0, init=False)
    unsure: bool = field(default=False, init=False)  # an earlier attempt may have been processed

    def __post_init__(self) -> None:
        if self.keyed and self.key is None:
            self.key = str(uuid4())


@dataclass(frozen=True)
class Usage:
    """What a synchronous call cost."""

    request_id: str
    credits_charged: int
    credits_remaining: int
    concurrent_limit: int
    concurrent: int  # slots in use, including this call
    latency_ms: int
    replayed: bool  # the answer is from an earlier call with the same idempotency key


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The answer of a synchronous call."""

    result: T
    usage: Usage


class LiveEvent(NamedTuple):
    """One event of `live`; exactly one of its fields is set."""

    status: t.LiveStatus | None = None
    tasks: t.LiveTasks | None = None


def path(template: str, *values: str) -> str:
    """Replace the names in braces by the values, in order."""
    for value in values:
        if value in ("", ".", ".."):  # such a segment would mean another resource
            raise ValueError(f"{value!r} is neither a name nor an id")
    remaining = iter(values)
    parts = (quote(next(remaining), safe="") if p.startswith("{") else p for p in template.split("/"))
    return "/".join(parts)


class Settings:
    """The arguments of a client, with their defaults from the environment."""

    def __init__(
        self, url: str | None, key: str | None, retries: int, timeout: float | None, user_agent: str
    ) -> None:
        url = url or os.environ.get("EARSHOT_URL") or "http://127.0.0.1:8080"
        key = (key or os.environ.get("EARSHOT_API_KEY") or "").strip()
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
            raise ValueError(f"the service URL {url!r} must begin with http:// or https:// and a host")
        if not key:
            raise ValueError("no API key: pass key=, or set the environment variable EARSHOT_API_KEY")
        self.url = url.rstrip("/")
        self.retries = retries
        # A call waits for its answer for minutes, but not for a connection.
        self.timeout = httpx.Timeout(timeout, connect=10)
        self.headers = {
            "Authorization": f"Bearer {key}",
            "User-Agent": user_agent or f"earshot-python/{VERSION}",
        }

    def request(self, call: Call[Any]) -> dict[str, Any]:
        """Return the arguments of httpx's build_request."""
        headers = dict(self.headers)
        content = None
        if isinstance(call.body, str):
            headers["Content-Type"] = "application/yaml"
            content = call.body.encode()
        elif call.body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(present(call.body), default=plain).encode()
        if call.key is not None:
            headers["Idempotency-Key"] = call.key
        return {
            "method": call.method,
            "url": self.url + call.path,
            "params": {name: plain(value) for name, value in call.query.items() if value is not None},
            "headers": headers,
            "content": content,
            "timeout": self.timeout,
        }


def present(body: object) -> object:
    """Leave out the arguments that were not given."""
    if isinstance(body, dict):
        return {name: value for name, value in body.items() if value is not None}
    return body


def plain(value: object) -> str:
    """Encode a value of a query, and dates in a body."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TypeError(f"cannot send a {type(value).__name__}")


def task_type(provider: str) -> str:
    """Return the type of a provider's tasks."""
    if provider not in TASK_TYPES:
        raise ValueError(f"unknown provider {provider!r}; the providers are {', '.join(TASK_TYPES)}")
    return TASK_TYPES[provider]


def monitor(provider: str, request: Mapping[str, Any], key: str | None) -> Call[Any]:
    """Return the call that asks a provider."""
    task_type(provider)  # otherwise the service would say that the path does not exist
    return Call[Any](
        "POST",
        "/v1/monitor/" + provider,
        body=fields(request),
        idempotent=key is not None,
        key=key,
    )


def fields(request: Mapping[str, Any]) -> dict[str, Any]:
    """Rename arguments to fields of the API, such as disable_web_search to disableWebSearch."""
    named = {}
    for name, value in request.items():
        first, *others = name.split("_")
        if value is not None:
            named[first + "".join(word.capitalize() for word in others)] = value
    return named


def answer(response: httpx.Response) -> Answer[Any]:
    """Return the result of a provider and its usage."""

    def number(name: str) -> int:
        return int(response.headers.get(name, "0"))

    usage = Usage(
        request_id=response.headers.get("X-Request-Id", ""),
        credits_charged=number("X-Credits-Charged"),
        credits_remaining=number("X-Credits-Remaining"),
        concurrent_limit=number("X-Concurrent-Limit"),
        concurrent=number("X-Concurrent-Current"),
        latency_ms=number("X-Latency-Ms"),
        replayed=response.headers.get("Idempotency-Replayed") == "true",
    )
    return Answer(decode(response)["result"], usage)


def decode(response: httpx.Response) -> Any:
    """Return the JSON of a response whose body was read, or raise the error in it."""
    if response.status_code != 200:
        raise failure(response)
    try:
        return response.json()
    except ValueError as error:
        raise not_earshot(response) from error


def result(call: Call[T], response: httpx.Response) -> T:
    """Return the part of a response that a method returns."""
    value = decode(response)
    return cast(T, value[call.returns] if call.returns else value)


def failure(response: httpx.Response) -> EarshotError:
    """Return the error of a response whose body was read."""
    try:
        body = response.json()["error"]
        return EarshotError(
            body["message"],
            code=body["code"],
            details=body.get("details"),
            request_id=body.get("requestId"),
            status=response.status_code,
            retry_after=seconds(response.headers.get("Retry-After", "")),
        )
    except (ValueError, LookupError, TypeError):
        return not_earshot(response)


def not_earshot(response: httpx.Response) -> EarshotError:
    """Return the error of a response that is not from Earshot."""
    return EarshotError(
        f"the server at {response.url.host} is not Earshot: it answered with status "
        f"{response.status_code} {response.reason_phrase}",
        status=response.status_code,
        retry_after=seconds(response.headers.get("Retry-After", "")),
    )


def seconds(header: str) -> float:
    """Parse both forms of Retry-After: seconds and a date."""
    if header.isdigit():
        return float(header)
    try:
        return max(0, (parsedate_to_datetime(header) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return 0


def lost(error: httpx.HTTPError, url: str) -> ConnectionFailed:
    """Return the error of a request without a response."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    return ConnectionFailed(
        f"no response from {url}: {error or type(error).__name__}",
        unsent=isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)),
        permanent=cause is not None,
    )


class Lines:
    """Splits the chunks of a stream into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return lines


class Events:
    """Decodes a stream of server-sent events."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._name = ""

    def feed(self, chunk: bytes) -> list[LiveEvent]:
        """Return the events that end in the chunk. Unknown events are skipped."""
        events = []
        for line in self._lines.feed(chunk):
            name, _, value = line.decode().partition(": ")
            if name == "event":
                self._name = value
            elif name == "data" and self._name in LiveEvent._fields:
                events.append(LiveEvent(**{self._name: json.loads(value)}))
        return events
