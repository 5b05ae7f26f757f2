"""The policy-value network, which shares weights over the symmetries of its board."""

from mijnlieff.train.network.network import PolicyValueNetwork, masked_log_softmax

__all__ = ["PolicyValueNetwork", "masked_log_softmax"]
