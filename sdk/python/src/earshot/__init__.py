"""The Python client of the Earshot API.

    >>> import earshot
    >>> client = earshot.Client("http://127.0.0.1:8080", "ear_live_…")

README.md describes it. `earshot.types` has the types of requests and responses.
"""

from . import types
from ._async_client import AsyncClient
from ._async_tasks import AsyncTask
from ._async_transport import AsyncStream
from ._call import Answer, LiveEvent, Usage
from ._client import Client
from ._constants import VERSION as __version__
from ._errors import ConnectionFailed, EarshotError, SignatureError, TaskError
from ._rows import Rows
from ._tasks import Task
from ._transport import Stream
from ._webhook import verify_webhook

__all__ = [
    "Answer",
    "AsyncClient",
    "AsyncStream",
    "AsyncTask",
    "Client",
    "ConnectionFailed",
    "EarshotError",
    "LiveEvent",
    "Rows",
    "SignatureError",
    "Stream",
    "Task",
    "TaskError",
    "Usage",
    "__version__",
    "types",
    "verify_webhook",
]
