//! Takes the learned weights of a network as arrays, one after the other.

use ndarray::{ArrayView, ArrayView1, Axis, Dimension, IntoDimension};

/// The weights that have not been taken yet.
pub(super) struct WeightReader<'a> {
    rest: ArrayView1<'a, f32>,
}

impl<'a> WeightReader<'a> {
    pub(super) fn of(weights: &'a [f32]) -> Self {
        let rest = ArrayView1::from(weights);
        Self { rest }
    }

    /// The next weights, in this shape.
    pub(super) fn next<D: Dimension>(
        &mut self,
        shape: impl IntoDimension<Dim = D>,
    ) -> ArrayView<'a, f32, D> {
        let shape = shape.into_dimension();
        let (next, rest) = self.rest.split_at(Axis(0), shape.size());
        self.rest = rest;
        next.into_shape_with_order(shape)
            .expect("as many weights as the shape has")
    }
}
