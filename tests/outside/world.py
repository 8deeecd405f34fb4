"""Everybody outside, on one loopback address: a relay of a beacon, a timestamp authority, a witness."""

import json
import re
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from claims import beacon

from .chain import published


class World:
    """`asked` holds every request as (method, path); `trouble[path] = (status, body)` answers in place of the real one.

    A body that is a callable writes what it likes to the handler it is given. Without a chain there is no relay.
    """

    def __init__(self, *, chain=None, authority=None, witness=None):
        self.chain, self.authority, self.witness = chain, authority, witness
        self.asked, self.trouble, self.url = [], {}, None

    def get(self, path):
        found = re.fullmatch(r"/([0-9a-f]{64})/(info|public/([0-9]+))", path)
        if self.chain is None or found is None or found[1] != self.chain.chain.hash:
            return 404, b"nothing here"
        if found[2] == "info":
            return 200, json.dumps(self.chain.chain.information()).encode()
        number = int(found[3])
        if beacon.time_of(self.chain.chain, number).timestamp() > time.time():
            return 425, b"too early"
        return 200, json.dumps(published(self.chain.round(number))).encode()

    def post(self, path, body):
        if path == "/tsa" and self.authority is not None:
            return 200, self.authority.answer(body)
        if path == "/witness/add-checkpoint" and self.witness is not None:
            return self.witness.add(body)
        return 404, b"nothing here"

    def paths(self):
        return [path for _, path in self.asked]


def handler_for(world):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(lambda: world.get(self.path))

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(lambda: world.post(self.path, body))

        def answer(self, real):
            world.asked.append((self.command, self.path))
            status, body = world.trouble[self.path] if self.path in world.trouble else real()
            self.send_response(status)
            if callable(body):
                body(self)
                return
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


@contextmanager
def served(world):
    """The world at `world.url` while the context lasts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler_for(world)) as server:
        server.daemon_threads = True
        world.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02))
        thread.start()
        try:
            yield world
        finally:
            server.shutdown()
            thread.join()
