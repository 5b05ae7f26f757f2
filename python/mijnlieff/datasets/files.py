"""Parts of a data set as files of NumPy or Parquet."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mijnlieff._mijnlieff import Variant
from mijnlieff._util.extras import needs
from mijnlieff._util.files import write_whole
from mijnlieff.datasets.games import COLUMNS, Columns
from mijnlieff.errors import DatasetError

__all__ = ["DAMAGED", "SUFFIXES", "check_installed", "read_part", "write_part"]

SUFFIXES = {"numpy": ".npz", "parquet": ".parquet"}
DAMAGED = (
    ValueError,
    TypeError,
    OverflowError,  # of a shape
    KeyError,
    EOFError,
    RuntimeError,  # a way of compression that there is not, or a password
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy raises for a damaged file of arrays."""
_STARTS = {".npz": b"PK\x03\x04", ".parquet": b"PAR1"}


def check_installed(files: str) -> None:
    """Raise unless what writes such files is installed.

    Raises:
        MissingExtraError: pyarrow is missing.
    """
    if files == "parquet":
        _pyarrow()


def write_part(path: Path, columns: Columns) -> None:
    """Write a file that is whole or not there.

    Raises:
        OSError: it cannot be written.
    """
    content = io.BytesIO()
    if path.suffix == ".npz":
        arrays: Any = columns  # NumPy's types take the last keyword for a flag
        np.savez_compressed(content, **arrays)
    else:
        _write_parquet(content, columns)
    write_whole(path, content.getvalue())


def read_part(path: Path, variant: Variant) -> Columns:
    """Return the columns of a file.

    Args:
        path: the file.
        variant: of its games.

    Raises:
        DatasetError: it is damaged, or not a part of a data set.
        OSError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != _STARTS[path.suffix]:
                raise ValueError(f"it is no {path.suffix} file, or cut off")
            file.seek(0)
            columns = _read_npz(file) if path.suffix == ".npz" else _read_parquet(file)
        _check(columns, variant)
    except DAMAGED as error:
        raise DatasetError(f"{path} is damaged: {error}") from error
    return columns


def _check(columns: Columns, variant: Variant) -> None:
    """Raise ValueError unless these are the columns of a data set of this variant."""
    if columns.keys() != COLUMNS.keys():
        raise ValueError("it does not have the columns of a data set")
    rows = len(columns["game"]) if columns["game"].ndim else 0
    for name, column in COLUMNS.items():
        values = columns[name]
        if not column.has(values, variant) or len(values) != rows:
            raise ValueError(
                f"its column {name} is {values.dtype} of shape {values.shape}, but a data set of "
                f"{variant} with {rows} turns has there: {column}"
            )


def _read_npz(file: BinaryIO) -> Columns:
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except OSError as error:  # of a wrong way of compression, too
        raise ValueError(error) from error


def _write_parquet(content: io.BytesIO, columns: Columns) -> None:
    pyarrow = _pyarrow()
    table = pyarrow.table({name: _to_arrow(pyarrow, values) for name, values in columns.items()})
    # Without its check sums a damaged file can be read as other numbers.
    pyarrow.parquet.write_table(table, content, write_page_checksum=True)


def _to_arrow(pyarrow: Any, values: Any) -> Any:
    if values.ndim == 1:
        return pyarrow.array(values)
    flat = pyarrow.array(values.reshape(-1))
    return pyarrow.FixedSizeListArray.from_arrays(flat, values.shape[1])


def _read_parquet(file: BinaryIO) -> Columns:
    pyarrow = _pyarrow()
    try:
        table = pyarrow.parquet.read_table(file, page_checksum_verification=True)
        return {name: _from_arrow(pyarrow, table[name]) for name in table.column_names}
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(error) from error


def _from_arrow(pyarrow: Any, column: Any) -> Any:
    column = column.combine_chunks()
    if pyarrow.types.is_fixed_size_list(column.type):
        values = column.flatten().to_numpy(zero_copy_only=False)
        return values.reshape(-1, column.type.list_size)
    values = column.to_numpy(zero_copy_only=False)
    return values.astype(np.str_) if values.dtype == object else values


def _pyarrow() -> Any:
    with needs("a data set in Parquet files", "pyarrow", "parquet"):
        import pyarrow
        import pyarrow.parquet
    return pyarrow
