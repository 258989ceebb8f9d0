"""The sync and the async client of the Python SDK behind one face: each case is written once.

Cases are coroutines. With the sync client every call blocks, which is fine: nothing else runs.
"""

import asyncio

import openai

from harness import KEY

TIMEOUT_S = 15.0
RETRIES = 2  # the SDK's own default, said here because cases count on it


class Requests:
    """How many HTTP requests the SDK sent, its own retries included."""

    def __init__(self):
        self.sent = 0

    def count(self, _request):
        self.sent += 1

    async def count_async(self, _request):
        self.sent += 1


class SyncKit:
    name = "python"

    def __init__(self, mock, gateway, keys_gateway):
        self.mock, self.gateway, self.keys_gateway = mock, gateway, keys_gateway
        self.requests = Requests()
        self._clients = []

    def client(self, url=None, **options):
        """A client of the open gateway, unless a URL says otherwise."""
        settings = {"base_url": (url or self.gateway.url) + "/v1", "api_key": KEY,
                    "timeout": TIMEOUT_S, "max_retries": RETRIES, **options}
        client = self._make(settings)
        self._clients.append(client)
        return client

    def _make(self, settings):
        hooks = {"request": [self.requests.count]}
        return openai.OpenAI(http_client=openai.DefaultHttpxClient(event_hooks=hooks), **settings)

    async def call(self, function, *args, **named):
        return function(*args, **named)

    async def items(self, stream):
        for item in stream:
            yield item

    async def leave(self, stream):
        stream.close()

    async def end(self):
        for client in self._clients:
            client.close()


class AsyncKit(SyncKit):
    name = "python async"

    def _make(self, settings):
        hooks = {"request": [self.requests.count_async]}
        http = openai.DefaultAsyncHttpxClient(event_hooks=hooks)
        return openai.AsyncOpenAI(http_client=http, **settings)

    async def call(self, function, *args, **named):
        return await function(*args, **named)

    async def items(self, stream):
        async for item in stream:
            yield item

    async def leave(self, stream):
        await stream.close()

    async def end(self):
        await asyncio.gather(*(client.close() for client in self._clients))
