"""What is outside answers as it likes; what is read of it is bounded."""

import threading
import time

import pytest

from workers import fetching
from workers.fetching import Answer, UnreachableError


def test_an_answer_is_read_whatever_its_status(world):
    world.trouble["/a"] = (418, b"short and stout")
    assert fetching.get(f"{world.url}/a") == Answer(418, b"short and stout")
    assert fetching.post(f"{world.url}/a", b"tea", "text/plain").status == 418
    assert world.asked == [("GET", "/a"), ("POST", "/a")]


def test_a_redirect_is_not_followed(world):
    def elsewhere(handler):
        handler.send_header("Location", "/b")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    world.trouble["/a"] = (302, elsewhere)
    assert fetching.get(f"{world.url}/a").status == 302
    assert world.paths() == ["/a"]


def test_a_long_answer_is_not_read_to_its_end(world):
    def endless(handler):
        handler.end_headers()
        while True:
            handler.wfile.write(bytes(1 << 16))

    def broken_off(handler):
        with pytest.raises(OSError, match=r"Broken pipe|reset"):
            endless(handler)

    world.trouble["/a"] = (200, broken_off)
    with pytest.raises(UnreachableError, match="longer than 65536 bytes"):
        fetching.get(f"{world.url}/a")


def test_nothing_is_inflated(world):
    def squeezed(handler):
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Content-Length", "4")
        handler.end_headers()
        handler.wfile.write(b"\x1f\x8b\x08\x00")

    world.trouble["/a"] = (200, squeezed)
    assert fetching.get(f"{world.url}/a").body == b"\x1f\x8b\x08\x00"


def test_an_answer_that_drips_is_given_up(world, monkeypatch):
    monkeypatch.setattr(fetching, "WHOLE_SECONDS", 0.1)

    def dripping(handler):
        while True:
            handler.wfile.write(b".")
            time.sleep(0.02)

    def drips(handler):
        handler.end_headers()
        with pytest.raises(OSError, match=r"Broken pipe|reset"):
            dripping(handler)

    world.trouble["/a"] = (200, drips)
    with pytest.raises(UnreachableError, match="took longer than"):
        fetching.get(f"{world.url}/a")


def test_silence_is_given_up(world, monkeypatch):
    monkeypatch.setattr(fetching, "SILENCE_SECONDS", 0.2)
    over = threading.Event()

    def silent(handler):
        handler.end_headers()
        over.wait(30)

    world.trouble["/a"] = (200, silent)
    with pytest.raises(UnreachableError, match="ReadTimeout"):
        fetching.get(f"{world.url}/a")
    over.set()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/nobody", "http://", "http://[::1"])
def test_nobody_there_is_said(url):
    with pytest.raises(UnreachableError):
        fetching.get(url)
