"""Verification of webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
import unittest
import unittest.mock

import earshot

OLD, NEW = ("whsec_" + base64.b64encode(text).decode() for text in (b"previous secret", b"new secret"))
BODY = '{"type": "alert.test", "ü": 1}'.encode()


def signed(secret: str, at: float) -> dict[str, str]:
    """The headers of a webhook, signed as Standard Webhooks describes."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, b"id-1." + str(int(at)).encode() + b"." + BODY, hashlib.sha256)
    return {
        "Webhook-Id": "id-1",
        "Webhook-Timestamp": str(int(at)),
        "Webhook-Signature": "v1,AAAA v1," + base64.b64encode(digest).decode(),
    }


class WebhookTest(unittest.TestCase):
    def test_valid(self) -> None:
        headers = signed(OLD, time.time())
        self.assertEqual(earshot.verify_webhook(headers, BODY, NEW, OLD)["type"], "alert.test")

    def test_known_signature(self) -> None:
        # The example of the Standard Webhooks specification's libraries.
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        headers = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        body = b'{"test": 2432232314}'
        with unittest.mock.patch("time.time", return_value=1614265330.0):
            self.assertEqual(earshot.verify_webhook(headers, body, secret), {"test": 2432232314})

    def test_invalid(self) -> None:
        now = time.time()
        forged: list[tuple[dict[str, str], bytes]] = [
            (signed(NEW, now), BODY),
            (signed(OLD, now - 301), BODY),
            (signed(OLD, now + 310), BODY),
            (signed(OLD, now), BODY + b" "),
            ({**signed(OLD, now), "Webhook-Id": "id-2"}, BODY),
            ({**signed(OLD, now), "Webhook-Signature": ""}, BODY),
            ({}, BODY),
        ]
        for headers, body in forged:
            with self.assertRaises(earshot.SignatureError):
                earshot.verify_webhook(headers, body, OLD)
        with self.assertRaises(earshot.SignatureError):
            earshot.verify_webhook(signed(OLD, now), BODY)

    def test_bad_secrets(self) -> None:
        for secret in ("", "whsec_", "whsec_?"):
            with self.assertRaises(ValueError) as raised:
                earshot.verify_webhook(signed(OLD, time.time()), BODY, secret)
            self.assertNotIsInstance(raised.exception, earshot.SignatureError)


if __name__ == "__main__":
    unittest.main()
