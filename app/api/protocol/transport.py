"""What surrounds every route: HEAD and OPTIONS, the Allow header, and failures that no route foresaw."""

from __future__ import annotations

from functools import cached_property
from re import Pattern

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.protocol import headers, problems
from app.errors import MethodNotAllowedError, UnknownRouteError


class Transport:
    """The outermost layer of the service, for HTTP alone.

    HEAD is answered as GET without its body; OPTIONS with the methods of the address; any other method that the
    address lacks with a 405 that names all it has (Starlette would name those of its first route alone).
    """

    def __init__(self, app: ASGIApp, service: FastAPI) -> None:
        self.app = app
        self.service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = _Answer(send, bodiless=scope["method"] == "HEAD")
        try:
            await self._route(scope)(self._asked(scope), receive, answer)
        except ClientDisconnect:
            return
        except Exception as error:
            if answer.started:  # cutting the connection is the one way left to say that the body is not whole
                raise
            await problems.failure(Request(scope), error)(scope, receive, answer)

    def _asked(self, scope: Scope) -> Scope:
        """What the routes see: GET for HEAD. The server keeps its own scope, in which it reads that no body is due."""
        head = scope["method"] == "HEAD" and "GET" in self._methods(scope["path"])
        return {**scope, "method": "GET"} if head else scope

    def _route(self, scope: Scope) -> ASGIApp:
        """The application, or the answer that makes it needless."""
        if scope["path"].endswith("\n"):  # which a route's pattern takes for the end of the path
            nothing = UnknownRouteError("Nothing answers a path that ends with a line break.")
            return problems.answer(Request(scope), nothing)
        if twice := headers.repeated(Headers(scope=scope)):
            return problems.answer(Request(scope), twice)
        return self._by_method(scope)

    def _by_method(self, scope: Scope) -> ASGIApp:
        allowed = self._methods(scope["path"])
        names = allowed | {"OPTIONS"} | ({"HEAD"} if "GET" in allowed else set())
        method = scope["method"]
        if not allowed or method in allowed or (method == "HEAD" and "GET" in allowed):
            return self.app
        allow = {"Allow": ", ".join(sorted(names))}
        if method == "OPTIONS":
            return Response(status_code=204, headers=allow)
        refused = MethodNotAllowedError(f"{scope['path']} does not take {method}.", headers=allow)
        return problems.answer(Request(scope), refused)

    def _methods(self, path: str) -> set[str]:
        return set().union(*(methods for pattern, methods in self._table if pattern.match(path)))

    @cached_property
    def _table(self) -> list[tuple[Pattern[str], set[str]]]:
        contexts = list(iter_route_contexts(self.service.routes))
        return [(context.path_regex, context.methods) for context in contexts if context.methods]


class _Answer:
    """Passes an answer on, with the header that forbids guessing its type, and without its body after HEAD."""

    def __init__(self, send: Send, *, bodiless: bool) -> None:
        self.send = send
        self.bodiless = bodiless
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            MutableHeaders(scope=message).setdefault("X-Content-Type-Options", "nosniff")
        elif self.bodiless and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self.send(message)
