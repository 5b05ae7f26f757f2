//! Learnt numbers as arrays.

use ndarray::{ArrayView, ArrayView1, Axis, Dimension, IntoDimension};

/// Numbers that have not been taken yet.
pub(super) struct Numbers<'a> {
    rest: ArrayView1<'a, f32>,
}

impl<'a> Numbers<'a> {
    pub(super) fn of(numbers: &'a [f32]) -> Self {
        let rest = ArrayView1::from(numbers);
        Self { rest }
    }

    /// The next numbers, in this shape.
    pub(super) fn next<D: Dimension>(
        &mut self,
        shape: impl IntoDimension<Dim = D>,
    ) -> ArrayView<'a, f32, D> {
        let shape = shape.into_dimension();
        let (next, rest) = self.rest.split_at(Axis(0), shape.size());
        self.rest = rest;
        next.into_shape_with_order(shape)
            .expect("as many numbers as the shape has")
    }
}
