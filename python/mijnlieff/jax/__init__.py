"""x."""
from mijnlieff.jax.env import Mijnlieff, State
__all__ = ["Mijnlieff", "State"]
