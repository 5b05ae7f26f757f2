//! The evaluation of a chunk of positions, layer by layer.

use ndarray::{ArrayRef2, ArrayViewMut2, Axis};

use super::kernels::{Convolve, Kernels};
use super::layers::{Block, BoardLayers, CellLayers};
use super::tokens::{Convert, Normalize};
use crate::memory::{OutOfMemory, with_room, zeroed};
use crate::network::Precision;
use crate::network::board::HIDDEN;
use crate::network::features::{HANDS, Lists};
use crate::network::inputs::Inputs;
use crate::network::layer::{Apply, Arithmetic, AsFloats, AsIntegers, Layer};
use crate::network::product::Rows;
use crate::simd::{LANES, Lanes, WORDS, WideLanes, dispatch_wide};

/// Tokens worked on at once: they stay in the cache, and weights are read once for all of them.
const TOKENS: usize = 128;

/// Where the number of allowed cells follows the hands, and which feature of cells is summed there.
const ALLOWED: (usize, usize) = (HANDS, 2);

/// Writes the logits of positions, and their values before the last step.
pub(in crate::network) fn forward(
    layers: &CellLayers,
    board: &BoardLayers,
    precision: Precision,
    observations: &ArrayRef2<f32>,
    mut logits: ArrayViewMut2<'_, f32>,
    mut values: ArrayViewMut2<'_, f32>,
) -> Result<(), OutOfMemory> {
    let part = (TOKENS / board.features.num_cells()).max(1);
    let outputs = logits
        .axis_chunks_iter_mut(Axis(0), part)
        .zip(values.axis_chunks_iter_mut(Axis(0), part));
    for (observations, (logits, values)) in
        observations.axis_chunks_iter(Axis(0), part).zip(outputs)
    {
        match precision {
            Precision::Float32 => {
                forward_as::<AsFloats>(layers, board, &observations, logits, values)?;
            }
            Precision::Int16 => {
                forward_as::<AsIntegers>(layers, board, &observations, logits, values)?;
            }
        }
    }
    Ok(())
}

fn forward_as<A: Inputs>(
    layers: &CellLayers,
    board: &BoardLayers,
    observations: &ArrayRef2<f32>,
    logits: ArrayViewMut2<'_, f32>,
    values: ArrayViewMut2<'_, f32>,
) -> Result<(), OutOfMemory> {
    let (cells, hands) = inputs(board, observations);
    let mut tokens = apply_to_integers::<A>(&board.cells, &cells)?;
    let of_position = apply_to_integers::<A>(&board.hands, &hands)?;
    let vectors = layers.padding.vectors();
    let cells = board.features.num_cells();
    let mut added: Vec<Lanes> = with_room(HIDDEN, tokens.len())?;
    for hands in of_position.chunks_exact(vectors) {
        added.extend(std::iter::repeat_n(hands, cells).flatten());
    }

    let mut activations = Activations::<A>::new(layers, tokens.len() / vectors)?;
    for (block, kernels) in layers.blocks.iter().zip(&board.kernels) {
        activations.apply(block, kernels, &mut tokens, &mut added);
    }
    let mut numbers = zeroed(HIDDEN, tokens.len() * LANES)?;
    dispatch_wide(Normalize::<AsFloats> {
        padding: &layers.padding,
        centered: &mut activations.centered,
        tokens: &mut tokens,
        added: &added,
        inputs: &mut numbers,
        factors: &mut activations.factors,
    });
    read_out(
        layers,
        cells,
        &numbers,
        &activations.factors,
        logits,
        values,
    )
}

/// The features of all cells, and the hands and the number of allowed cells of all positions.
fn inputs(board: &BoardLayers, observations: &ArrayRef2<f32>) -> (Vec<Lists>, Vec<Lists>) {
    let cells = board.features.num_cells();
    let mut of_cells = vec![[0; WORDS]; observations.nrows() * cells];
    let mut hands = vec![[0; WORDS]; observations.nrows()];
    let observations = observations.outer_iter();
    let rows = of_cells.chunks_exact_mut(cells).zip(&mut hands);
    for (observation, (of_cells, hands)) in observations.zip(rows) {
        let observation = observation.as_standard_layout();
        let observation = observation.as_slice().expect("C order");
        board.features.write_cells(observation, of_cells);
        board.features.write_hands(observation, hands);
        hands[ALLOWED.0] = of_cells.iter().map(|cell| cell[ALLOWED.1]).sum();
    }
    (of_cells, hands)
}

fn apply_to_integers<A: Inputs>(
    layer: &Layer,
    integers: &[Lists],
) -> Result<Vec<Lanes>, OutOfMemory> {
    let mut outputs = zeroed(HIDDEN, integers.len() * layer.len())?;
    let factors = vec![1.0; integers.len()];
    apply::<A>(layer, &A::of_integers(integers), &factors, &mut outputs);
    Ok(outputs)
}

/// Writes the outputs of a layer for as many rows as there are factors.
fn apply<A: Arithmetic>(
    layer: &Layer,
    inputs: &[A::Input],
    factors: &[f32],
    outputs: &mut [Lanes],
) {
    let stride = inputs.len() / factors.len();
    A::apply(Apply {
        layer,
        inputs: Rows {
            numbers: inputs,
            stride,
        },
        factors,
        outputs,
    });
}

/// The inputs and outputs of the layers of a block.
struct Activations<'a, A: Arithmetic> {
    layers: &'a CellLayers,
    inputs: Vec<A::Input>,
    /// By token.
    factors: Vec<f32>,
    /// Of one token, to be overwritten.
    centered: Vec<WideLanes>,
    convolved: Vec<Lanes>,
    wide: Vec<Lanes>,
    wide_inputs: Vec<A::Input>,
}

impl<'a, A: Inputs> Activations<'a, A> {
    fn new(layers: &'a CellLayers, tokens: usize) -> Result<Self, OutOfMemory> {
        let vectors = layers.padding.vectors();
        let wide = layers.blocks.first().map_or(0, |block| block.inner.len());
        let inputs = |vectors: usize| zeroed(HIDDEN, tokens * vectors * LANES / A::PER_INPUT);
        Ok(Self {
            layers,
            inputs: inputs(vectors)?,
            factors: vec![1.0; tokens],
            centered: zeroed(HIDDEN, vectors / 2)?,
            convolved: zeroed(HIDDEN, tokens * vectors)?,
            wide: zeroed(HIDDEN, tokens * wide)?,
            wide_inputs: inputs(wide)?,
        })
    }

    /// Adds `added` to the tokens, and replaces it by what the block adds last.
    fn apply(
        &mut self,
        block: &Block,
        kernels: &Kernels,
        tokens: &mut [Lanes],
        added: &mut [Lanes],
    ) {
        self.normalize(tokens, added);
        apply::<A>(&block.message, &self.inputs, &self.factors, added);
        dispatch_wide(Convolve {
            kernels,
            sources: added,
            targets: &mut self.convolved,
            vectors: self.layers.padding.vectors(),
        });
        dispatch_wide(Convert::<A> {
            width: self.layers.padding.vectors(),
            rectify: false,
            tokens: &mut self.convolved,
            inputs: &mut self.inputs,
            factors: &mut self.factors,
        });
        apply::<A>(&block.gather, &self.inputs, &self.factors, added);
        self.normalize(tokens, added);
        apply::<A>(&block.inner, &self.inputs, &self.factors, &mut self.wide);
        dispatch_wide(Convert::<A> {
            width: block.inner.len(),
            rectify: true,
            tokens: &mut self.wide,
            inputs: &mut self.wide_inputs,
            factors: &mut self.factors,
        });
        apply::<A>(&block.outer, &self.wide_inputs, &self.factors, added);
    }

    fn normalize(&mut self, tokens: &mut [Lanes], added: &[Lanes]) {
        dispatch_wide(Normalize::<A> {
            padding: &self.layers.padding,
            centered: &mut self.centered,
            tokens,
            added,
            inputs: &mut self.inputs,
            factors: &mut self.factors,
        });
    }
}

/// Writes the logits and values of positions from their tokens, each of which has a factor.
fn read_out(
    layers: &CellLayers,
    cells: usize,
    numbers: &[f32],
    factors: &[f32],
    logits: ArrayViewMut2<'_, f32>,
    values: ArrayViewMut2<'_, f32>,
) -> Result<(), OutOfMemory> {
    let mut placed = vec![[0.0; LANES]; factors.len()];
    apply::<AsFloats>(&layers.placements, numbers, factors, &mut placed);

    let width = layers.padding.vectors() * LANES;
    let count = factors.len() / cells;
    let mut means = zeroed(HIDDEN, count * width)?;
    let positions = numbers.chunks_exact(width * cells);
    let positions = positions.zip(factors.chunks_exact(cells));
    for ((numbers, factors), mean) in positions.zip(means.chunks_exact_mut(width)) {
        for (token, factor) in numbers.chunks_exact(width).zip(factors) {
            for (mean, number) in mean.iter_mut().zip(token) {
                *mean += number * factor;
            }
        }
    }
    let shares = vec![1.0 / cells as f32; count];
    let mut hidden: Vec<Lanes> = zeroed(HIDDEN, count * layers.summary.len())?;
    apply::<AsFloats>(&layers.summary, &means, &shares, &mut hidden);
    for number in hidden.as_flattened_mut() {
        // NaN stays.
        if *number < 0.0 {
            *number = 0.0;
        }
    }
    let ones = vec![1.0; count];
    let mut rest = vec![[0.0; LANES]; count];
    apply::<AsFloats>(&layers.outcome, hidden.as_flattened(), &ones, &mut rest);

    let outputs = placed.chunks_exact(cells).zip(&rest);
    let rows = logits
        .into_outer_iter_mut()
        .zip(values.into_outer_iter_mut());
    for ((placed, [pass, outcome, margin, ..]), (mut logits, mut values)) in outputs.zip(rows) {
        for (action, logit) in logits.iter_mut().enumerate() {
            *logit = match placed.get(action % cells) {
                Some(of_cell) if action < 4 * cells => of_cell[action / cells],
                _ => *pass,
            };
        }
        values[0] = *outcome;
        values[1] = *margin;
    }
    Ok(())
}
