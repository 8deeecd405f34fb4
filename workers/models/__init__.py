"""Reward models: loading, scoring, reading and patching. The one door through which torch is imported.

On two cores, OpenMP's default of spinning threads in two processes made a forward 50 times slower: threads wait
passively and there is one per process unless OMP_NUM_THREADS says otherwise. Parallelism comes from processes.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import transformers

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
