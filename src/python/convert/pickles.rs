//! Pickles of classes whose constructors take their attributes.

#![forbid(unsafe_code)]

use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use super::shown::{Shown, type_texts};

type_texts! {
    NameTypes: "tuple[str, ...]";
    ArgumentTypes: "tuple[Any, ...]";
}

/// The names of attributes.
pub(crate) type Names = Shown<NameTypes, PyTuple>;

/// A class and the arguments that make the object again.
pub(crate) type Pickled<'py> = (Bound<'py, PyType>, Shown<ArgumentTypes, PyTuple>);

/// What `__reduce__` returns for a class whose constructor takes these attributes.
pub(crate) fn pickled<'py>(slf: &Bound<'py, PyAny>, names: &[&str]) -> PyResult<Pickled<'py>> {
    let values = names.iter().map(|name| slf.getattr(name));
    let values = values.collect::<PyResult<Vec<_>>>()?;
    Ok((slf.get_type(), PyTuple::new(slf.py(), values)?.into()))
}
