"""Decides which requests are sent again. Both clients use this module."""

from __future__ import annotations

import random
from typing import Any

from ._call import Call
from ._errors import ConnectionFailed, EarshotError

DEFAULT_RETRIES = 4

_FIRST_WAIT = 0.25
# A longer Retry-After is not waited for; the error is raised instead.
_MAX_WAIT = 30.0


def pause(call: Call[Any], error: EarshotError, retries: int) -> float:
    """Return how many seconds to wait before the call is sent again, or raise the error.

    A request that was not processed is always repeated: there was no connection, or the service
    refused it because of its load. A request that may have been processed is repeated only if
    it is idempotent. Other errors are permanent.
    """
    refused, lost = _classify(error)
    if call.key is not None and call.unsure and error.code == "RESOURCE_CONFLICT":
        refused = True  # the attempt whose response was lost is still running
    repeatable = refused or (lost and call.idempotent)
    if not repeatable or call.retries >= retries or error.retry_after > _MAX_WAIT:
        raise error
    wait = max(backoff(_FIRST_WAIT, _MAX_WAIT, call.retries), error.retry_after)
    call.retries += 1
    call.unsure = call.unsure or lost
    return wait


def _classify(error: EarshotError) -> tuple[bool, bool]:
    """Report whether a request was refused, or whether its response was lost."""
    if isinstance(error, ConnectionFailed):
        return error.unsent and not error.permanent, not error.unsent and not error.permanent
    if error.code:
        return error.code in ("RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE"), False
    return False, error.status in (429, 502, 503, 504)  # a proxy answered


def backoff(first: float, limit: float, n: int) -> float:
    """Return the wait after n waits: doubled each time, reduced by up to a half at random."""
    return min(first * 2.0 ** min(n, 30), limit) * random.uniform(0.5, 1)
