"""The errors that calls raise."""

from __future__ import annotations

from typing import Any, Mapping

from . import types as t
from ._constants import NEXT_STEPS


class EarshotError(Exception):
    """A request failed. The other errors of calls are subclasses.

    `code` is one of the API's error codes, or "" if the response is not from Earshot but, for
    example, from a proxy. `details` is additional data whose shape the code decides, such as a
    list of the invalid fields. `status` is the HTTP status, and None in the error of a task.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        details: Any = None,
        request_id: str | None = None,
        status: int | None = None,
        retry_after: float = 0,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.details = details
        self.request_id = request_id
        self.status = status
        self.retry_after = retry_after

    @property
    def next_step(self) -> str:
        """How to handle an error with this code."""
        return NEXT_STEPS.get(self.code, "")

    def __str__(self) -> str:
        message = self.message
        if self.code == "VALIDATION_ERROR" and isinstance(self.details, list):
            message = "; ".join(f"{p['field']}: {p['message']}" for p in self.details)
        if not self.code:
            return message
        return f"{self.code}: {message}" + (
            f" (status {self.status}, request {self.request_id})" if self.status else ""
        )


class ConnectionFailed(EarshotError):
    """No response arrived. `unsent` reports whether the request was certainly not processed."""

    def __init__(self, message: str, *, unsent: bool = False, permanent: bool = False) -> None:
        super().__init__(message)
        self.unsent = unsent
        self.permanent = permanent


class TaskError(EarshotError):
    """A task failed, or does not exist. `record` is the failed task."""

    def __init__(
        self, task_id: str, error: Mapping[str, Any], record: t.TaskRecord | None = None
    ) -> None:
        super().__init__(error["message"], code=error["code"], details=error.get("details"))
        self.args = (task_id, error, record)  # for pickle
        self.task_id = task_id
        self.record = record

    def __str__(self) -> str:
        return f"task {self.task_id}: {super().__str__()}"


class SignatureError(ValueError):
    """A webhook has no valid and recent signature. Anybody may have sent it."""
