from dataclasses import replace

import pytest

from claims.instruments import catalogue
from workers.refusals import RefusalError


def test_it_offers_what_every_instrument_over_pairs_needs(llama):
    for instrument in catalogue().values():
        llama.offer(instrument.MANIFEST.capabilities)


def test_what_it_lacks_is_refused_by_name(llama):
    with pytest.raises(RefusalError, match="lacks_capability: The model does not offer hvp"):
        llama.offer(["scores", "hvp"])
    with pytest.raises(RefusalError, match="does not offer gradients, linear_readout"):
        replace(llama, capabilities=("scores",)).offer(["linear_readout", "gradients"])
