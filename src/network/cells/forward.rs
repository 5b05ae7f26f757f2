//! The evaluation of a chunk of positions, layer by layer.

use bytemuck::Zeroable;
use ndarray::{ArrayRef2, ArrayViewMut2, Axis};

use super::kernels::{Convolve, Kernels};
use super::layers::{Block, BoardLayers, CellLayers};
use super::tokens::{AddToAll, Convert, Measures, Normalize, Sum};
use crate::game::Piece;
use crate::memory::{OutOfMemory, zeroed};
use crate::network::features::{HANDS, Lists, TacticalFeatures};
use crate::network::floats::Floats;
use crate::network::integers::Integers;
use crate::network::layer::Layer;
use crate::simd::{Kernel, LANES, Lanes, Simd, WORDS, WideLanes, dispatch, dispatch_wide};

/// Tokens worked on at once: they stay in the cache, and weights are read once for all of them.
const TOKENS: usize = 128;

/// Named in the error if there is not enough memory.
const HIDDEN: &str = "the network's hidden layers";

/// Where the number of allowed cells follows the hands, and which feature of cells is summed there.
const ALLOWED: (usize, usize) = (HANDS, 2);

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
    let part = (TOKENS / board.features.num_cells()).max(1);
    let cells = board.features.num_cells();
    let activations = match activations {
        Some(activations) => activations,
        none => none.insert(Activations::new(
            layers,
            part.min(observations.nrows()) * cells,
        )?),
    };
    let outputs = logits
        .axis_chunks_iter_mut(Axis(0), part)
        .zip(values.axis_chunks_iter_mut(Axis(0), part));
    for (observations, (logits, values)) in
        observations.axis_chunks_iter(Axis(0), part).zip(outputs)
    {
        activations.resize(observations.nrows() * cells);
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
        dispatch(WriteFeatures {
            features: &board.features,
            observation: observation.as_slice().expect("C order"),
            cells: of_cells,
            hands,
        });
        hands[ALLOWED.0] = of_cells.iter().map(|cell| cell[ALLOWED.1]).sum();
    }
    (of_cells, hands)
}

/// Writes the features of one position.
struct WriteFeatures<'a> {
    features: &'a TacticalFeatures,
    observation: &'a [f32],
    cells: &'a mut [Lists],
    hands: &'a mut Lists,
}

impl Kernel for WriteFeatures<'_> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, _simd: V) {
        self.features.write_cells(self.observation, self.cells);
        self.features.write_hands(self.observation, self.hands);
    }
}

fn apply_to_lists(layer: &Layer<Integers>, lists: &[Lists], outputs: &mut [WideLanes]) {
    let (inputs, _) = lists.as_flattened().as_chunks();
    layer.apply(inputs, &vec![1.0; lists.len()], outputs);
}

/// The numbers of tokens, and the inputs and outputs of the layers of a block.
pub(in crate::network) struct Activations<'a> {
    layers: &'a CellLayers,
    tokens: Vec<WideLanes>,
    messages: Vec<WideLanes>,
    inputs: Vec<[i16; 2]>,
    /// By token.
    factors: Vec<f32>,
    measures: Measures,
    convolved: Vec<WideLanes>,
    wide: Vec<WideLanes>,
    wide_inputs: Vec<[i16; 2]>,
    /// The tokens as they are read out.
    numbers: Vec<WideLanes>,
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
            messages: outputs(vectors)?,
            inputs: inputs(vectors)?,
            factors: vec![1.0; tokens],
            measures: Measures::new(tokens),
            convolved: outputs(vectors)?,
            wide: outputs(wide)?,
            wide_inputs: inputs(wide)?,
            numbers: outputs(vectors)?,
        })
    }

    /// Makes place for so many tokens, which are no more than at first.
    fn resize(&mut self, tokens: usize) {
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
    }

    /// Makes the tokens of positions.
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
        dispatch_wide(AddToAll {
            cells: board.features.num_cells(),
            width: vectors,
            numbers: &of_position,
            tokens: &mut self.tokens,
        });
        Ok(())
    }

    /// Adds what a block finds to the tokens.
    fn apply(&mut self, block: &Block, kernels: &Kernels) {
        self.normalize();
        block
            .message
            .apply(&self.inputs, &self.factors, &mut self.messages);
        dispatch_wide(Convolve {
            kernels,
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

    fn normalize_last(&mut self) {
        dispatch_wide(Normalize::<Floats> {
            measures: &mut self.measures,
            padding: &self.layers.padding,
            tokens: &self.tokens,
            inputs: bytemuck::cast_slice_mut(&mut self.numbers),
            factors: &mut self.factors,
        });
    }
}

/// Writes the logits and values of positions from their tokens, each of which has a factor.
fn read_out(
    layers: &CellLayers,
    cells: usize,
    numbers: &[WideLanes],
    factors: &[f32],
    logits: ArrayViewMut2<'_, f32>,
    values: ArrayViewMut2<'_, f32>,
) -> Result<(), OutOfMemory> {
    let mut placed = vec![[0.0; LANES]; factors.len()];
    layers
        .placements
        .apply(bytemuck::cast_slice(numbers), factors, &mut placed);

    let count = factors.len() / cells;
    let mut means = zeroed(HIDDEN, count * layers.padding.vectors())?;
    dispatch_wide(Sum {
        cells,
        width: layers.padding.vectors(),
        tokens: numbers,
        factors,
        sums: &mut means,
    });
    let shares = vec![1.0 / cells as f32; count];
    let mut hidden: Vec<Lanes> = zeroed(HIDDEN, count * layers.summary.len())?;
    layers
        .summary
        .apply(bytemuck::cast_slice(&means), &shares, &mut hidden);
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
        let of_pieces = logits.exact_chunks_mut(cells).into_iter();
        for (piece, mut logits) in (0..Piece::ALL.len()).zip(of_pieces) {
            for (logit, of_cell) in logits.iter_mut().zip(placed) {
                *logit = of_cell[piece];
            }
        }
        logits[Piece::ALL.len() * cells] = *pass;
        values[0] = *outcome;
        values[1] = *margin;
    }
    Ok(())
}
