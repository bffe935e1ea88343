"""Counter-based random numbers for kernels: SplitMix64 (Steele, Lea & Flood, 2014).

A stream is one uint64. Adding `GAMMA` is all that its state does, so numbers of several
games overlap in the processor, and a stream can be keyed by a seed and a position.
"""

import numpy as np

from rstt_env.jit import kernel

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_A, _B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@kernel
def mix(x):
    """uint64 → uint64, bijective, every bit depending on every other."""
    x = (x ^ (x >> _S30)) * _A
    x = (x ^ (x >> _S27)) * _B
    return x ^ (x >> _S31)


@kernel
def below(n, x):
    """A number in 0 … n-1 from the random uint64 `x`; n < 2^32, and the bias is under n / 2^32."""
    return np.int64(((mix(x) >> _S32) * np.uint64(n)) >> _S32)
