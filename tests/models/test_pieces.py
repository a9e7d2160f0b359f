import numpy as np
import pytest

from rag.models.pieces import PIECE_TOKENS, pieces


@pytest.mark.parametrize("seed", range(20))
def test_pieces_hold_every_row_once_and_stay_small(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = [int(n) for n in rng.integers(1, 513, rng.integers(0, 200))]
    found = list(pieces(counts))
    assert sorted(i for piece in found for i in piece) == list(range(len(counts)))
    for piece in found:
        assert piece
        assert len(piece) == 1 or len(piece) * max(counts[i] for i in piece) <= PIECE_TOKENS
