"""The native network with a token for each cell beside the one in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from mijnlieff import Board, Variant  # noqa: E402
from mijnlieff._mijnlieff import Network  # noqa: E402
from mijnlieff.encoding import observe_batch  # noqa: E402
from mijnlieff.train.network.canvas import CanvasNetwork  # noqa: E402
from network_inputs import games  # noqa: E402

pytestmark = pytest.mark.torch

IRREGULAR = Variant(Board.from_text(".##.#\n.###.\n##..#\n#####"), "anywhere", 3)


def networks(
    variant: Variant, units: int, blocks: int, heads: int
) -> tuple[CanvasNetwork, Network]:
    """The same random weights in PyTorch and in native code."""
    torch.manual_seed(2)
    board = variant.board
    on_canvas = CanvasNetwork(
        board.height, board.width, variant.copies, units, blocks, heads
    ).eval()
    for weight in on_canvas.parameters():
        torch.nn.init.normal_(weight, std=1.2 / units**0.5)
    numbers = [weight.detach().numpy().ravel() for weight in on_canvas.parameters()]
    native = Network.of_cells(variant, units, blocks, heads, np.concatenate(numbers))
    return on_canvas, native


@pytest.mark.parametrize("variant", [Variant(), Variant(copies=3), IRREGULAR])
@pytest.mark.parametrize(("units", "blocks", "heads"), [(96, 3, 8), (20, 1, 5)])
def test_native_code_evaluates_as_pytorch_does(
    variant: Variant, units: int, blocks: int, heads: int
) -> None:
    on_canvas, native = networks(variant, units, blocks, heads)
    positions = games(variant, 12)
    only_pass = [variant.pass_action]
    assert any(list(position.legal_actions()) == only_pass for position in positions)
    with torch.no_grad():
        logits, values = on_canvas(torch.from_numpy(observe_batch(positions, "planes")))
    board = variant.board
    slots = np.array([y * board.width + x for x, y in board.cells])
    slots = np.concatenate([piece * board.height * board.width + slots for piece in range(4)])
    expected = [logits.numpy()[:, [*slots, -1]], values.numpy()]
    observations = observe_batch(positions, "flat")
    for found, wanted in zip(native.evaluate(observations), expected, strict=True):
        assert np.abs(wanted).max() > 0.1
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
    for found, wanted in zip(
        native.evaluate(observations, precision="int16"), expected, strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=0.02)
