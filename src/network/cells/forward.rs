//! The evaluation of a chunk of positions, layer by layer.

use ndarray::{ArrayRef2, ArrayViewMut2, Axis};

use super::kernels::{Convolve, Kernels};
use super::layers::{Block, BoardLayers, CellLayers};
use super::tokens::{Convert, Normalize};
use crate::memory::{OutOfMemory, zeroed};
use crate::network::board::HIDDEN;
use crate::network::features::{HANDS, Lists};
use crate::network::floats::Floats;
use crate::network::integers::Integers;
use crate::network::layer::Layer;
use crate::simd::{LANES, Lanes, WORDS, WideLanes, dispatch_wide};

/// Tokens worked on at once: they stay in the cache, and weights are read once for all of them.
const TOKENS: usize = 128;

/// Where the number of allowed cells follows the hands, and which feature of cells is summed there.
const ALLOWED: (usize, usize) = (HANDS, 2);

/// Writes the logits of positions, and their values before the last step.
pub(in crate::network) fn forward(
    layers: &CellLayers,
    board: &BoardLayers,
    observations: &ArrayRef2<f32>,
    mut logits: ArrayViewMut2<'_, f32>,
    mut values: ArrayViewMut2<'_, f32>,
) -> Result<(), OutOfMemory> {
    let part = (TOKENS / board.features.num_cells()).max(1);
    let cells = board.features.num_cells();
    let mut activations = Activations::new(layers, part.min(observations.nrows()) * cells)?;
    let outputs = logits
        .axis_chunks_iter_mut(Axis(0), part)
        .zip(values.axis_chunks_iter_mut(Axis(0), part));
    for (observations, (logits, values)) in
        observations.axis_chunks_iter(Axis(0), part).zip(outputs)
    {
        activations.shrink(observations.nrows() * cells);
        activations.start(board, &observations)?;
        for (block, kernels) in layers.blocks.iter().zip(&board.kernels) {
            activations.apply(block, kernels);
        }
        activations.normalize_last();
        read_out(
            layers,
            cells,
            &activations.numbers,
            &activations.factors,
            logits,
            values,
        )?;
    }
    Ok(())
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

fn apply_to_lists(layer: &Layer<Integers>, lists: &[Lists], outputs: &mut [WideLanes]) {
    let (inputs, _) = lists.as_flattened().as_chunks();
    layer.apply(inputs, &vec![1.0; lists.len()], outputs);
}

/// The numbers of tokens, and the inputs and outputs of the layers of a block.
struct Activations<'a> {
    layers: &'a CellLayers,
    tokens: Vec<WideLanes>,
    /// What is added to the tokens before they are read next.
    added: Vec<WideLanes>,
    inputs: Vec<[i16; 2]>,
    /// By token.
    factors: Vec<f32>,
    /// Of one token, to be overwritten.
    centered: Vec<WideLanes>,
    convolved: Vec<WideLanes>,
    wide: Vec<WideLanes>,
    wide_inputs: Vec<[i16; 2]>,
    /// The tokens as they are read out.
    numbers: Vec<f32>,
}

impl<'a> Activations<'a> {
    fn new(layers: &'a CellLayers, tokens: usize) -> Result<Self, OutOfMemory> {
        let vectors = layers.padding.vectors();
        let wide = layers.blocks.first().map_or(0, |block| block.inner.len());
        let outputs = |vectors: usize| zeroed(HIDDEN, tokens * vectors);
        let inputs = |vectors: usize| zeroed(HIDDEN, tokens * vectors * WORDS / 2);
        Ok(Self {
            layers,
            tokens: outputs(vectors)?,
            added: outputs(vectors)?,
            inputs: inputs(vectors)?,
            factors: vec![1.0; tokens],
            centered: zeroed(HIDDEN, vectors)?,
            convolved: outputs(vectors)?,
            wide: outputs(wide)?,
            wide_inputs: inputs(wide)?,
            numbers: zeroed(HIDDEN, tokens * vectors * WORDS)?,
        })
    }

    /// Keeps room for so many tokens, which are no more than before.
    fn shrink(&mut self, tokens: usize) {
        let share = |length: usize| length / self.factors.len() * tokens;
        self.tokens.truncate(share(self.tokens.len()));
        self.added.truncate(share(self.added.len()));
        self.inputs.truncate(share(self.inputs.len()));
        self.convolved.truncate(share(self.convolved.len()));
        self.wide.truncate(share(self.wide.len()));
        self.wide_inputs.truncate(share(self.wide_inputs.len()));
        self.numbers.truncate(share(self.numbers.len()));
        self.factors.truncate(tokens);
    }

    /// Makes the tokens of positions, and what their hands add to them.
    fn start(
        &mut self,
        board: &BoardLayers,
        observations: &ArrayRef2<f32>,
    ) -> Result<(), OutOfMemory> {
        let (cells, hands) = inputs(board, observations);
        apply_to_lists(&board.cells, &cells, &mut self.tokens);
        let vectors = self.layers.padding.vectors();
        let mut of_position = zeroed(HIDDEN, hands.len() * vectors)?;
        apply_to_lists(&board.hands, &hands, &mut of_position);
        let stride = self.added.len() / hands.len();
        let positions = self.added.chunks_exact_mut(stride);
        for (added, hands) in positions.zip(of_position.chunks_exact(vectors)) {
            for added in added.chunks_exact_mut(vectors) {
                added.copy_from_slice(hands);
            }
        }
        Ok(())
    }

    /// Adds `added` to the tokens, and replaces it by what the block adds last.
    fn apply(&mut self, block: &Block, kernels: &Kernels) {
        self.normalize();
        block
            .message
            .apply(&self.inputs, &self.factors, &mut self.added);
        dispatch_wide(Convolve {
            kernels,
            sources: &self.added,
            targets: &mut self.convolved,
            vectors: self.layers.padding.vectors(),
        });
        dispatch_wide(Convert {
            width: self.layers.padding.vectors(),
            rectify: false,
            tokens: &self.convolved,
            inputs: &mut self.inputs,
            factors: &mut self.factors,
        });
        block
            .gather
            .apply(&self.inputs, &self.factors, &mut self.added);
        self.normalize();
        block
            .inner
            .apply(&self.inputs, &self.factors, &mut self.wide);
        dispatch_wide(Convert {
            width: block.inner.len(),
            rectify: true,
            tokens: &self.wide,
            inputs: &mut self.wide_inputs,
            factors: &mut self.factors,
        });
        block
            .outer
            .apply(&self.wide_inputs, &self.factors, &mut self.added);
    }

    fn normalize(&mut self) {
        dispatch_wide(Normalize::<Integers> {
            padding: &self.layers.padding,
            centered: &mut self.centered,
            tokens: &mut self.tokens,
            added: &self.added,
            inputs: &mut self.inputs,
            factors: &mut self.factors,
        });
    }

    fn normalize_last(&mut self) {
        dispatch_wide(Normalize::<Floats> {
            padding: &self.layers.padding,
            centered: &mut self.centered,
            tokens: &mut self.tokens,
            added: &self.added,
            inputs: &mut self.numbers,
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
    layers.placements.apply(numbers, factors, &mut placed);

    let width = layers.padding.vectors() * WORDS;
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
    layers.summary.apply(&means, &shares, &mut hidden);
    for number in hidden.as_flattened_mut() {
        // NaN stays.
        if *number < 0.0 {
            *number = 0.0;
        }
    }
    let ones = vec![1.0; count];
    let mut rest = vec![[0.0; LANES]; count];
    layers
        .outcome
        .apply(hidden.as_flattened(), &ones, &mut rest);

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
