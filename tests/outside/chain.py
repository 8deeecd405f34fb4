"""A beacon of one's own: a drand chain whose group is one key."""

import hashlib

from py_ecc.bls import G2Basic

from claims.beacon import Chain, Round

SECRET = 0x5EED


class OwnChain:
    """Signs rounds as the group would; they are chained, so each needs those before it."""

    def __init__(self, *, period, genesis, beacon_id="test"):
        self.chain = Chain(G2Basic.SkToPk(SECRET), period, genesis, hashlib.sha256(b"group").digest(), beacon_id)
        self._signatures = [self.chain.group_hash]

    def round(self, number):
        while len(self._signatures) <= number:
            previous, following = self._signatures[-1], len(self._signatures)
            message = hashlib.sha256(previous + following.to_bytes(8, "big")).digest()
            self._signatures.append(G2Basic.Sign(SECRET, message))
        return Round(number, self._signatures[number], self._signatures[number - 1])


def published(round_):
    """The round as drand's relays answer it."""
    return {
        "round": round_.round,
        "randomness": round_.randomness.hex(),
        "signature": round_.signature.hex(),
        "previous_signature": round_.previous.hex(),
    }
