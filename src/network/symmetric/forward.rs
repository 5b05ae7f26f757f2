//! The evaluation of a chunk of positions, layer by layer.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use ndarray::{ArrayRef2, ArrayViewMut2};

use super::SymmetricLayers;
use super::basis::WriteFeatures;
use super::irreps::{Term, Transform, WithTransform};
use crate::memory::{OutOfMemory, zeroed};
use crate::network::Precision;
use crate::network::board::HIDDEN;
use crate::network::inputs::{Inputs, largest, scale};
use crate::network::layer::{Apply, Arithmetic, AsFloats, AsIntegers, Layer};
use crate::network::product::Rows;
use crate::simd::{InHalves, Kernel, LANES, Lanes, Simd, Vector, WORDS, Words, dispatch};

/// Writes the logits of positions that fit the cache, and their values before the last step.
pub(in crate::network) fn forward(
    network: &SymmetricLayers,
    precision: Precision,
    observations: &ArrayRef2<f32>,
    logits: ArrayViewMut2<'_, f32>,
    values: ArrayViewMut2<'_, f32>,
) -> Result<(), OutOfMemory> {
    match precision {
        Precision::Float32 => forward_as::<AsFloats>(network, observations, logits, values),
        Precision::Int16 => forward_as::<AsIntegers>(network, observations, logits, values),
    }
}

fn forward_as<F: TransformedInputs>(
    network: &SymmetricLayers,
    observations: &ArrayRef2<f32>,
    mut logits: ArrayViewMut2<'_, f32>,
    mut values: ArrayViewMut2<'_, f32>,
) -> Result<(), OutOfMemory> {
    let count = observations.nrows();
    let width = network.inputs.len();
    let mut activations = Activations::<F> {
        network,
        units: zeroed(HIDDEN, count * width)?,
        numbers: zeroed(HIDDEN, count * width * LANES / F::PER_INPUT)?,
        factors: vec![1.0; count],
    };
    let mut beside = zeroed(HIDDEN, count * width)?;
    let lists = dispatch(WriteFeatures {
        features: &network.features,
        observations,
    });
    let inputs = F::of_integers(&lists);
    F::apply(Apply {
        layer: &network.inputs,
        inputs: Rows {
            numbers: &inputs,
            stride: inputs.len() / count,
        },
        factors: &activations.factors,
        outputs: &mut activations.units,
    });
    activations.rectify(None);
    for [first, second] in &network.blocks {
        std::mem::swap(&mut activations.units, &mut beside);
        activations.apply(first);
        activations.rectify(None);
        activations.apply(second);
        activations.rectify(Some(&beside));
    }
    activations.units = vec![[0.0; LANES]; count * network.readout.len()];
    activations.apply(&network.readout);

    let outputs = activations.units.chunks_exact(network.readout.len());
    let mut cells = vec![[0.0; 4]; network.num_cells];
    let rows = logits.outer_iter_mut().zip(values.outer_iter_mut());
    for (outputs, (logits, values)) in outputs.zip(rows) {
        let logits = logits.into_slice().expect("C order");
        let values = values.into_slice().expect("C order");
        let heads = &network.heads;
        heads.write(outputs.as_flattened(), &mut cells, logits, values);
    }
    Ok(())
}

/// The hidden units of a chunk.
struct Activations<'a, F: Arithmetic> {
    network: &'a SymmetricLayers,
    /// For each position and symmetry, in the order of the group's transform, all channels; before
    /// they are rectified, for each slot.
    units: Vec<Lanes>,
    /// Their Fourier transform, as inputs of the next layer.
    numbers: Vec<F::Input>,
    /// The factor for the numbers of each position.
    factors: Vec<f32>,
}

impl<F: TransformedInputs> Activations<'_, F> {
    fn apply(&mut self, layer: &Layer) {
        F::apply(Apply {
            layer,
            inputs: Rows {
                numbers: &self.numbers,
                stride: self.numbers.len() / self.factors.len(),
            },
            factors: &self.factors,
            outputs: &mut self.units,
        });
    }

    /// Goes from slots to units, adds the units `beside`, rectifies, and goes back to slots.
    fn rectify(&mut self, beside: Option<&[Lanes]>) {
        dispatch(Rectify {
            activations: self,
            beside,
        });
    }
}

/// See [`Activations::rectify`].
struct Rectify<'a, 'b, F: Arithmetic> {
    activations: &'a mut Activations<'b, F>,
    beside: Option<&'a [Lanes]>,
}

impl<F: TransformedInputs> Kernel for Rectify<'_, '_, F> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) {
        let kind = self.activations.network.irreps.kind;
        kind.run(RectifyWith(simd, self));
    }
}

struct RectifyWith<'a, 'b, V, F: Arithmetic>(V, Rectify<'a, 'b, F>);

impl<V: Simd, F: TransformedInputs> WithTransform for RectifyWith<'_, '_, V, F> {
    type Result = ();

    #[inline(always)]
    fn run<const ORDER: usize, const STEPS: usize>(self, transform: Transform<ORDER, STEPS>) {
        let Self(
            simd,
            Rectify {
                activations,
                beside,
            },
        ) = self;
        let width = activations.units.len() / activations.factors.len();
        let stride = width / ORDER;
        let each = activations.units.chunks_exact_mut(width).enumerate();
        let numbers = activations
            .numbers
            .chunks_exact_mut(width * LANES / F::PER_INPUT);
        for (((position, units), numbers), factor) in
            each.zip(numbers).zip(&mut activations.factors)
        {
            let beside = beside.map(|beside| &beside[position * width..][..width]);
            for vector in 0..stride {
                let mut slots = [Float(simd.splat(0.0)); ORDER];
                for slot in 0..ORDER {
                    slots[slot] = Float(simd.load(&units[slot * stride + vector]));
                }
                transform.backward(&mut slots);
                for symmetry in 0..ORDER {
                    let at = symmetry * stride + vector;
                    let mut sum = slots[symmetry].0;
                    if let Some(beside) = beside {
                        sum = sum.add(simd.load(&beside[at]));
                    }
                    // Of 0 and NaN, this is NaN.
                    simd.splat(0.0).max(sum).store(&mut units[at]);
                }
            }
            *factor = F::transform(simd, transform, activations.network.levels, units, numbers);
        }
    }
}

/// Makes inputs of the Fourier transform of units, none of which is negative.
trait TransformedInputs: Inputs {
    /// The transform of one position's units, and its factor.
    fn transform<V: Simd, const ORDER: usize, const STEPS: usize>(
        simd: V,
        transform: Transform<ORDER, STEPS>,
        levels: f32,
        units: &[Lanes],
        numbers: &mut [Self::Input],
    ) -> f32;
}

impl TransformedInputs for AsFloats {
    #[inline(always)]
    fn transform<V: Simd, const ORDER: usize, const STEPS: usize>(
        simd: V,
        transform: Transform<ORDER, STEPS>,
        _levels: f32,
        units: &[Lanes],
        numbers: &mut [f32],
    ) -> f32 {
        let stride = units.len() / ORDER;
        let numbers = numbers.as_chunks_mut().0;
        for vector in 0..stride {
            let mut slots = [Float(simd.splat(0.0)); ORDER];
            for symmetry in 0..ORDER {
                slots[symmetry] = Float(simd.load(&units[symmetry * stride + vector]));
            }
            transform.forward(&mut slots);
            for slot in 0..ORDER {
                slots[slot].0.store(&mut numbers[slot * stride + vector]);
            }
        }
        1.0
    }
}

impl TransformedInputs for AsIntegers {
    #[inline(always)]
    fn transform<V: Simd, const ORDER: usize, const STEPS: usize>(
        simd: V,
        transform: Transform<ORDER, STEPS>,
        levels: f32,
        units: &[Lanes],
        numbers: &mut [[i16; 2]],
    ) -> f32 {
        let (units, _) = units.as_chunks::<2>();
        let Some(largest) = largest(InHalves(simd), units) else {
            return f32::NAN;
        };
        let scale = simd.splat(scale(largest, levels));
        let (numbers, _) = numbers.as_flattened_mut().as_chunks_mut();
        let stride = units.len() / ORDER;
        for vector in 0..stride {
            let mut slots = [Integer(simd.load_words(&[0; WORDS])); ORDER];
            for symmetry in 0..ORDER {
                let [low, high] = &units[symmetry * stride + vector];
                let (low, high) = (simd.load(low).mul(scale), simd.load(high).mul(scale));
                let mut words = [0; WORDS];
                low.store_rounded(high, &mut words);
                slots[symmetry] = Integer(simd.load_words(&words));
            }
            transform.forward(&mut slots);
            for slot in 0..ORDER {
                slots[slot].0.store(&mut numbers[slot * stride + vector]);
            }
        }
        largest / levels
    }
}

#[derive(Clone, Copy)]
struct Float<V>(V);

impl<V: Vector> Term for Float<V> {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(self.0.add(other.0))
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(self.0.sub(other.0))
    }
}

#[derive(Clone, Copy)]
struct Integer<W>(W);

impl<W: Words> Term for Integer<W> {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(self.0.add(other.0))
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(self.0.sub(other.0))
    }
}
