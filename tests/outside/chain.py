"""A beacon of one's own: a drand chain whose group is one key."""

import hashlib
import threading

from claims import beacon
from claims.beacon import Chain, Round

G2Basic = beacon.bls()
SECRET = 0x5EED
GROUP = hashlib.sha256(b"group").digest()
LOCK = threading.Lock()
SIGNATURES = [GROUP]  # what is signed does not depend on when: every chain here has these, each signed once


class OwnChain:
    """Signs rounds as the group would; they are chained, so each needs those before it."""

    def __init__(self, *, period, genesis, beacon_id="test"):
        self.chain = Chain(G2Basic.SkToPk(SECRET), period, genesis, GROUP, beacon_id)

    def round(self, number):
        with LOCK:
            while len(SIGNATURES) <= number:
                message = hashlib.sha256(SIGNATURES[-1] + len(SIGNATURES).to_bytes(8, "big")).digest()
                SIGNATURES.append(G2Basic.Sign(SECRET, message))
        return Round(number, SIGNATURES[number], SIGNATURES[number - 1])


def published(round_):
    """The round as drand's relays answer it."""
    return {
        "round": round_.round,
        "randomness": round_.randomness.hex(),
        "signature": round_.signature.hex(),
        "previous_signature": round_.previous.hex(),
    }
