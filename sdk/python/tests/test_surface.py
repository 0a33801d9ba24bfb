"""Every operation of the running service has a method in both clients."""

from __future__ import annotations

import inspect
import os
import re
import unittest
from operator import attrgetter
from typing import Any, Iterator

import httpx

import earshot


def snake(name: str) -> str:
    return re.sub("([A-Z])", r"_\1", name).lower()


def operations() -> Iterator[dict[str, Any]]:
    document = httpx.get(os.environ["EARSHOT_URL"] + "/openapi.json").json()
    for methods in document["paths"].values():
        yield from methods.values()


class SurfaceTest(unittest.TestCase):
    def test_methods(self) -> None:
        clients = (earshot.Client(key="key"), earshot.AsyncClient(key="key"))
        names = []
        for operation in operations():
            if "x-sdk" not in operation:
                continue
            names.append(snake(operation["x-sdk"]["method"]))
            for client in clients:
                method: Any = attrgetter(names[-1])(client)
                arguments = inspect.signature(method).parameters
                for p in operation.get("parameters", []):
                    if p["in"] == "path":
                        self.assertIn(snake(p["name"]), arguments, names[-1])
                self.assertIn(operation["summary"][:40], inspect.getdoc(method) or names[-1])
        self.assertGreater(len(names), 80)
        self.assertEqual(len(names), len(set(names)))

    def test_providers(self) -> None:
        providers = [o["x-provider"] for o in operations() if "x-provider" in o]
        for method in (earshot.Client.ask, earshot.AsyncClient.ask):
            source = inspect.getsource(__import__(method.__module__, fromlist=["x"]))
            for provider in providers:
                self.assertIn(f'provider: Literal["{provider}"]', source)


if __name__ == "__main__":
    unittest.main()
