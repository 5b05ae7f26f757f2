//! The evaluation of a chunk of positions, layer by layer.

use bytemuck::Zeroable;
use ndarray::{ArrayRef2, ArrayViewMut2, Axis};

use super::kernels::{Convolve, Kernels};
use super::layers::{Block, BoardLayers, CellLayers, HIDDEN};
use super::readout::Readout;
use super::tokens::{AddToAll, Convert, Measures, Normalize};
use crate::memory::{OutOfMemory, zeroed};
use crate::network::features::{Lists, TacticalFeatures};
use crate::network::floats::Floats;
use crate::network::integers::Integers;
use crate::simd::{Kernel, Simd, WORDS, WideLanes, dispatch, dispatch_wide};

/// Tokens worked on at once: they stay in the cache, and weights are read once for all of them.
const TOKENS: usize = 256;

/// Writes the logits of positions, and their values before the last step.
///
/// `activations` are kept from one call to the next, which has no more positions.
pub(in crate::network) fn forward<'a>(
    activations: &mut Option<Activations<'a>>,
    layers: &'a CellLayers,
    board: &BoardLayers,
    observations: &ArrayRef2<f32>,
    mut logits: ArrayViewMut2<'_, f32>,
    mut values: ArrayViewMut2<'_, f32>,
) -> Result<(), OutOfMemory> {
    let cells = board.features.num_cells();
    let part = (TOKENS / cells).max(1);
    let activations = match activations {
        Some(activations) => activations,
        none => none.insert(Activations::new(
            layers,
            part.min(observations.nrows()),
            cells,
        )?),
    };
    let outputs = logits
        .axis_chunks_iter_mut(Axis(0), part)
        .zip(values.axis_chunks_iter_mut(Axis(0), part));
    for (observations, (logits, values)) in
        observations.axis_chunks_iter(Axis(0), part).zip(outputs)
    {
        activations.resize(observations.nrows(), cells);
        activations.start(board, &observations);
        for (block, kernels) in layers.blocks.iter().zip(&board.kernels) {
            activations.apply(block, kernels);
        }
        activations.write(logits, values);
    }
    Ok(())
}

/// Writes the features of one position.
struct WriteFeatures<'a> {
    features: &'a TacticalFeatures,
    observation: &'a [f32],
    cells: &'a mut [Lists],
    globals: &'a mut Lists,
}

impl Kernel for WriteFeatures<'_> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, _simd: V) {
        self.features
            .write(self.observation, self.cells, self.globals);
    }
}

/// The numbers of tokens, and the inputs and outputs of the layers of a block.
pub(in crate::network) struct Activations<'a> {
    layers: &'a CellLayers,
    /// The features of cells, and of whole positions.
    cells: Vec<Lists>,
    globals: Vec<Lists>,
    /// What the latter add to the tokens of their position.
    of_globals: Vec<WideLanes>,
    /// For each token.
    ones: Vec<f32>,
    tokens: Vec<WideLanes>,
    messages: Vec<WideLanes>,
    inputs: Vec<[i16; 2]>,
    /// By token.
    factors: Vec<f32>,
    measures: Measures,
    /// By cell, of two positions.
    columns: Vec<[WideLanes; 2]>,
    convolved: Vec<WideLanes>,
    wide: Vec<WideLanes>,
    wide_inputs: Vec<[i16; 2]>,
    /// The tokens as they are read out.
    numbers: Vec<WideLanes>,
    readout: Readout,
}

impl<'a> Activations<'a> {
    /// Room for so many positions of so many cells.
    fn new(layers: &'a CellLayers, positions: usize, cells: usize) -> Result<Self, OutOfMemory> {
        let (vectors, tokens) = (layers.padding.vectors(), positions * cells);
        let wide = layers.blocks.first().map_or(0, |block| block.inner.len());
        let outputs = |vectors: usize| zeroed(HIDDEN, tokens * vectors);
        let inputs = |vectors: usize| zeroed(HIDDEN, tokens * vectors * WORDS / 2);
        Ok(Self {
            layers,
            cells: zeroed(HIDDEN, tokens)?,
            globals: zeroed(HIDDEN, positions)?,
            of_globals: zeroed(HIDDEN, positions * vectors)?,
            ones: vec![1.0; tokens],
            tokens: outputs(vectors)?,
            messages: outputs(vectors)?,
            inputs: inputs(vectors)?,
            factors: vec![1.0; tokens],
            measures: Measures::new(tokens),
            columns: zeroed(HIDDEN, cells)?,
            convolved: outputs(vectors)?,
            wide: outputs(wide)?,
            wide_inputs: inputs(wide)?,
            numbers: outputs(vectors)?,
            readout: Readout::new(layers, positions, cells)?,
        })
    }

    /// Makes place for so many positions, which are no more than at first.
    fn resize(&mut self, positions: usize, cells: usize) {
        let tokens = positions * cells;
        let share = |length: usize| length / self.factors.len() * tokens;
        for numbers in [
            &mut self.tokens,
            &mut self.messages,
            &mut self.convolved,
            &mut self.wide,
            &mut self.numbers,
        ] {
            numbers.resize(share(numbers.len()), WideLanes::zeroed());
        }
        for inputs in [&mut self.inputs, &mut self.wide_inputs] {
            inputs.resize(share(inputs.len()), [0; 2]);
        }
        self.factors.resize(tokens, 1.0);
        self.cells.resize(tokens, Lists::zeroed());
        self.globals.resize(positions, Lists::zeroed());
    }

    /// Makes the tokens of positions.
    fn start(&mut self, board: &BoardLayers, observations: &ArrayRef2<f32>) {
        let cells = board.features.num_cells();
        let rows = self.cells.chunks_exact_mut(cells).zip(&mut self.globals);
        for (observation, (of_cells, globals)) in observations.outer_iter().zip(rows) {
            let observation = observation.as_standard_layout();
            dispatch(WriteFeatures {
                features: &board.features,
                observation: observation.as_slice().expect("C order"),
                cells: of_cells,
                globals,
            });
        }
        let vectors = self.layers.padding.vectors();
        let of_globals = &mut self.of_globals[..self.globals.len() * vectors];
        for (layer, lists, outputs) in [
            (&board.cells, &self.cells, &mut *self.tokens),
            (&board.globals, &self.globals, &mut *of_globals),
        ] {
            let (inputs, _) = lists.as_flattened().as_chunks();
            layer.apply(inputs, &self.ones[..lists.len()], outputs);
        }
        dispatch_wide(AddToAll {
            cells,
            width: vectors,
            numbers: of_globals,
            tokens: &mut self.tokens,
        });
    }

    /// Adds what a block finds to the tokens.
    fn apply(&mut self, block: &Block, kernels: &Kernels) {
        self.normalize();
        block
            .message
            .apply(&self.inputs, &self.factors, &mut self.messages);
        dispatch_wide(Convolve {
            kernels,
            columns: &mut self.columns,
            sources: &self.messages,
            targets: &mut self.convolved,
            vectors: self.layers.padding.vectors(),
        });
        dispatch_wide(Convert::<false> {
            measures: &mut self.measures,
            width: self.layers.padding.vectors(),
            tokens: &self.convolved,
            inputs: &mut self.inputs,
            factors: &mut self.factors,
        });
        block
            .gather
            .add(&self.inputs, &self.factors, &mut self.tokens);
        self.normalize();
        block
            .inner
            .apply(&self.inputs, &self.factors, &mut self.wide);
        dispatch_wide(Convert::<true> {
            measures: &mut self.measures,
            width: block.inner.len(),
            tokens: &self.wide,
            inputs: &mut self.wide_inputs,
            factors: &mut self.factors,
        });
        block
            .outer
            .add(&self.wide_inputs, &self.factors, &mut self.tokens);
    }

    fn normalize(&mut self) {
        dispatch_wide(Normalize::<Integers> {
            measures: &mut self.measures,
            padding: &self.layers.padding,
            tokens: &self.tokens,
            inputs: &mut self.inputs,
            factors: &mut self.factors,
        });
    }

    /// Writes the logits and values of the positions.
    fn write(&mut self, logits: ArrayViewMut2<'_, f32>, values: ArrayViewMut2<'_, f32>) {
        dispatch_wide(Normalize::<Floats> {
            measures: &mut self.measures,
            padding: &self.layers.padding,
            tokens: &self.tokens,
            inputs: &mut self.numbers,
            factors: &mut self.factors,
        });
        self.readout
            .write(self.layers, &self.numbers, &self.factors, logits, values);
    }
}
