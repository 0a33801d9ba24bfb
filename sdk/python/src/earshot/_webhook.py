"""Verifies webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Iterable, Protocol

from ._errors import SignatureError

_TOLERANCE = 300  # seconds


class Headers(Protocol):
    """The headers of a request, in any web framework."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(headers: Headers, body: bytes, *secrets: str) -> Any:
    """Verify a webhook and return its decoded body: a `TaskRecord` or an event.

    Raises SignatureError unless the webhook was signed with one of the secrets within the last
    five minutes. While a secret is being rotated, pass the new and the previous one.

    A webhook is sent again until it is acknowledged with a 2xx status, so the same one may
    arrive more than once.

    Args:
        headers: The headers of the request, in any letter case.
        body: The unmodified body of the request.
    """
    keys = [_key(secret) for secret in secrets]
    lower = {name.lower(): value for name, value in headers.items()}
    sent = lower.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > _TOLERANCE:
        raise SignatureError("the webhook's timestamp is missing or not recent")
    signed = f"{lower.get('webhook-id', '')}.{sent}.".encode() + body
    signatures = [s.encode() for s in lower.get("webhook-signature", "").split(" ")]
    for key in keys:
        wanted = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(wanted, signature) for signature in signatures):
            return json.loads(body)
    raise SignatureError("the webhook has no valid signature")


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:  # anybody can sign with an empty secret
        raise ValueError("a webhook secret is not of the form whsec_…")
    return key
