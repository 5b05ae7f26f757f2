"""Norms whose scales and shifts are learned exactly in bfloat16, too.

The gradients of the scale and the shift of a norm are sums over all tokens. On a processor, PyTorch
adds them up in bfloat16, so that with some thousand tokens more than half of a sum can be lost.
Here the norm has neither: both are applied after it, where PyTorch adds up gradients in float32.

In float32 and on other devices, the functions are PyTorch's own steps.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["normalized", "normalized_linear"]


def normalized(norm: nn.LayerNorm, tokens: Tensor) -> Tensor:
    """What `norm(tokens)` is.

    Args:
        norm: normalizes each token.
        tokens: `(..., units)`.
    """
    if not _loses_gradients(tokens):
        found: Tensor = norm(tokens)
        return found
    return _without_scale(norm, tokens) * norm.weight.to(tokens.dtype) + norm.bias.to(tokens.dtype)


def normalized_linear(norm: nn.LayerNorm, layer: nn.Linear, tokens: Tensor) -> Tensor:
    """What `layer(norm(tokens))` is.

    Args:
        norm: normalizes each token.
        layer: reads what it gives.
        tokens: `(..., in_features)`.
    """
    if not _loses_gradients(tokens):
        found: Tensor = layer(norm(tokens))
        return found
    # Scale and shift become part of the layer, which is much smaller than the tokens.
    weight = layer.weight * norm.weight
    bias = layer.bias + (layer.weight * norm.bias).sum(dim=1)
    return nn.functional.linear(_without_scale(norm, tokens), weight, bias)


def _loses_gradients(tokens: Tensor) -> bool:
    return bool(tokens.dtype == torch.bfloat16 and tokens.device.type == "cpu")


def _without_scale(norm: nn.LayerNorm, tokens: Tensor) -> Tensor:
    return nn.functional.layer_norm(tokens, norm.normalized_shape, eps=norm.eps)
