"""JAX and Pgx, whose versions are checked before anything else of this package is imported."""

from mijnlieff._util.extras import missing_extra, require_version

require_version("mijnlieff.jax", "jax", "0.7", "jax")
require_version("mijnlieff.jax", "pgx", "2.6", "jax")

try:
    import jax
    from pgx import core

    # Pgx has no public name for the decorator of its own states.
    from pgx._src.struct import dataclass, field
except ImportError as error:
    raise missing_extra("mijnlieff.jax", "JAX and Pgx", "jax", error) from error

__all__ = ["core", "dataclass", "field", "jax"]
