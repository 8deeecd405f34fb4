"""A witness of one's own (C2SP tlog-witness): it cosigns what continues what it has cosigned, and nothing else."""

import base64
import threading
from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from claims import checkpoint, cosignature, merkle


class OwnWitness:
    """`add(body)` answers an add-checkpoint request with a status and a body."""

    def __init__(self, log_vkey, name="witness.example"):
        self.name, self._key = name, Ed25519PrivateKey.generate()
        self.vkey = cosignature.vkey(name, self._key.public_key())
        self._log, self._lock = log_vkey, threading.Lock()
        self.size, self.root = 0, merkle.EMPTY_ROOT

    def cosign(self, note, time=None):
        return cosignature.cosign(note, self.name, self._key, time or datetime.now(UTC).replace(microsecond=0))

    def add(self, body):
        head, _, note = body.decode().partition("\n\n")
        first, *lines = head.split("\n")
        word, _, old = first.partition(" ")
        if word != "old" or not old.isdigit():
            return 400, b"no old size"
        proof = [base64.b64decode(line, validate=True) for line in lines]
        try:
            found = checkpoint.verify(note, self._log)
        except ValueError as error:
            return 403, str(error).encode()
        with self._lock:
            if int(old) != self.size:
                return 409, f"{self.size}\n".encode()
            if not merkle.verify_consistency(self.size, found.size, self.root, found.root, proof):
                return 422, b"not a continuation"
            self.size, self.root = found.size, found.root
        return 200, f"{self.cosign(note)}\n".encode()
