"""The commands below ``mijnlieff dev``."""
