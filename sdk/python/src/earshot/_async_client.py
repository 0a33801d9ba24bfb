"""The asynchronous client."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

import httpx

from ._call import Settings
from ._async_operations import AsyncOperations
from ._retry import DEFAULT_RETRIES
from ._async_transport import AsyncTransport

if TYPE_CHECKING:
    from typing_extensions import Self


class AsyncClient(AsyncOperations):
    """Calls one Earshot service with one key. Like `Client`, with `await`.

    Args:
        url: The service; by default EARSHOT_URL, or http://127.0.0.1:8080.
        key: The API key; by default EARSHOT_API_KEY.
        retries: How often a request is sent again at most; 0 turns retries off.
        timeout: How many seconds to wait for data of a response. A synchronous call may take
            minutes.
        user_agent: The name of the calling program, which appears in the service's logs.
        http_client: Sends the requests, for example through a proxy. It is not closed.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        retries: int = DEFAULT_RETRIES,
        timeout: float | None = 600,
        user_agent: str = "",
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        super().__init__(AsyncTransport(Settings(url, key, retries, timeout, user_agent), http_client))

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()
