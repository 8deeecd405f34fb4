"""Ed25519 signatures, verified by RFC 8032, section 5.1.7. Nothing here is secret, so nothing runs in constant time."""

from __future__ import annotations

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
KEY_BYTES = 32
SIGNATURE_BYTES = 64

Point = tuple[int, int, int, int]
"""Extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z."""


def signature_holds(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` is by the key of `public` over `message`.

    S must be below the group's order, and both points in their one encoding: no second signature is made from a first.
    The equation is checked without the cofactor.
    """
    if len(public) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    key = decompressed(public)
    s = int.from_bytes(signature[KEY_BYTES:], "little")
    if key is None or s >= L:
        return False
    digest = hashlib.sha512(signature[:KEY_BYTES] + public + message).digest()
    h = int.from_bytes(digest, "little") % L
    x, y, z, t = key
    r = added(multiplied(s, BASE), multiplied(h, (P - x, y, z, P - t)))
    return compressed(r) == signature[:KEY_BYTES]


def added(one: Point, other: Point) -> Point:
    """Section 5.1.4."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiplied(factor: int, point: Point) -> Point:
    result: Point = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            result = added(result, point)
        point = added(point, point)
        factor >>= 1
    return result


def compressed(point: Point) -> bytes:
    """Section 5.1.2."""
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(KEY_BYTES, "little")


def decompressed(data: bytes) -> Point | None:
    """Section 5.1.3; None for what encodes no point."""
    encoded = int.from_bytes(data, "little")
    y, sign = encoded & (1 << 255) - 1, encoded >> 255
    if y >= P:
        return None
    squared = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(squared, (P + 3) // 8, P)
    if (x * x - squared) % P:
        x = x * SQRT_OF_MINUS_1 % P
    if (x * x - squared) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def base_point() -> Point:
    """The point with y = 4/5 and even x."""
    point = decompressed((4 * pow(5, P - 2, P) % P).to_bytes(KEY_BYTES, "little"))
    assert point is not None, "the curve has its base point"
    return point


BASE = base_point()
