//! Arguments and results with the types that the stub shows, where PyO3 knows no more than a class.

use std::convert::Infallible;
use std::marker::PhantomData;

use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{Borrowed, PyTypeCheck};

/// A type in Python's words, such as `"NDArray[np.int8]"`, as in the signatures of functions.
pub(crate) trait TypeText {
    #[cfg_attr(not(feature = "stub"), allow(dead_code))]
    const TEXT: &'static str;
}

/// Defines names for such types.
macro_rules! type_texts {
    ($($name:ident: $text:literal;)*) => {$(
        #[derive(Clone, Copy, PartialEq)]
        pub(crate) enum $name {}

        impl $crate::python::convert::shown::TypeText for $name {
            const TEXT: &'static str = $text;
        }
    )*};
}
pub(crate) use type_texts;

/// An object of class `C` that the stub shows as `T`.
pub(crate) struct Shown<T, C = PyAny>(Py<C>, PhantomData<T>);

impl<T, C> Shown<T, C> {
    /// The object, shown as another type.
    pub(crate) fn shown_as<U>(self) -> Shown<U> {
        Shown(self.0.into_any(), PhantomData)
    }

    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> &Bound<'py, C> {
        self.0.bind(py)
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        Self(self.0.clone_ref(py), PhantomData)
    }
}

impl<T, C> From<Bound<'_, C>> for Shown<T, C> {
    fn from(object: Bound<'_, C>) -> Self {
        Self(object.unbind(), PhantomData)
    }
}

impl<'py, T: TypeText, C: PyTypeCheck> FromPyObject<'_, 'py> for Shown<T, C> {
    type Error = PyErr;

    #[cfg(feature = "stub")]
    const INPUT_TYPE: pyo3::inspect::PyStaticExpr = <Self as IntoPyObject<'static>>::OUTPUT_TYPE;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(object.cast::<C>()?.to_owned().into())
    }
}

impl<'py, T: TypeText, C> IntoPyObject<'py> for Shown<T, C> {
    type Target = C;
    type Output = Bound<'py, C>;
    type Error = Infallible;

    #[cfg(feature = "stub")]
    const OUTPUT_TYPE: pyo3::inspect::PyStaticExpr = pyo3::inspect::PyStaticExpr::Constant {
        value: pyo3::inspect::PyStaticConstant::Str(T::TEXT),
    };

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.0.into_bound(py))
    }
}

impl<'a, 'py, T: TypeText, C> IntoPyObject<'py> for &'a Shown<T, C> {
    type Target = C;
    type Output = Borrowed<'a, 'py, C>;
    type Error = Infallible;

    #[cfg(feature = "stub")]
    const OUTPUT_TYPE: pyo3::inspect::PyStaticExpr =
        <Shown<T, C> as IntoPyObject<'static>>::OUTPUT_TYPE;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.0.bind_borrowed(py))
    }
}

/// Lets a function read all arguments of a type; the stub shows them as the text.
macro_rules! argument {
    ($name:ty: $text:literal = $read:expr) => {
        impl<'a, 'py> pyo3::FromPyObject<'a, 'py> for $name {
            type Error = pyo3::PyErr;

            #[cfg(feature = "stub")]
            const INPUT_TYPE: pyo3::inspect::PyStaticExpr = pyo3::inspect::PyStaticExpr::Constant {
                value: pyo3::inspect::PyStaticConstant::Str($text),
            };

            fn extract(value: pyo3::Borrowed<'a, 'py, pyo3::PyAny>) -> pyo3::PyResult<Self> {
                ($read)(value)
            }
        }
    };
}
pub(crate) use argument;

/// A word that the stub shows as one of those of `T`.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Word<T>(pub(crate) &'static str, PhantomData<T>);

impl<T> From<&'static str> for Word<T> {
    fn from(word: &'static str) -> Self {
        Self(word, PhantomData)
    }
}

impl<'py, T: TypeText> IntoPyObject<'py> for Word<T> {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    #[cfg(feature = "stub")]
    const OUTPUT_TYPE: pyo3::inspect::PyStaticExpr =
        <Shown<T> as IntoPyObject<'static>>::OUTPUT_TYPE;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyString::new(py, self.0))
    }
}
