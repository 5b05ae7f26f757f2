//! Trained networks as players: a convolution over the cells of a board.
//!
//! It is the network of `python/mijnlieff/train/network/cells.py`. A file holds only the learned
//! weights, see [`Architecture`]; they are made ready to evaluate when it is loaded. Products are of
//! integers of 16 bits: weights are rounded, and what hidden layers read to fractions of the cell's
//! largest number.

mod board;
mod canvas_rows;
mod cells;
mod choice;
mod error;
mod features;
mod floats;
mod format;
mod half;
mod inputs;
mod integers;
mod layer;
mod narrow;
mod scope;
mod size;
mod weight_reader;
mod weights;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use board::{BoardNetwork, Evaluations};
pub use canvas_rows::CanvasRows;
pub use choice::Choice;
pub use error::{ChoiceError, NetworkError, NoBoardError};
pub use scope::Scope;
pub use size::MAX_NETWORK_BYTES;
pub use weights::{Architecture, NUM_VALUES, NetworkWeights};

use cells::CellLayers;
use size::board_bytes;

use crate::game::{Board, Variant};
use crate::memory::{OutOfMemory, check_room};

/// Named in the error if there is not enough memory.
const LAYERS: &str = "the network";

/// A network; [`Network::on`] makes it ready to evaluate the positions of a board. Two are equal when
/// their files are.
pub struct Network {
    scope: Scope,
    architecture: Architecture,
    num_weights: usize,
    file: Box<[u8]>,
    layers: Arc<CellLayers>,
}

impl Network {
    /// Points per unit of the expected margin.
    pub const MARGIN_UNIT: f32 = 4.0;

    /// Takes weights.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn new(weights: &NetworkWeights) -> Result<Self, NetworkError> {
        check_room(LAYERS, weights.size.layers())?;
        Ok(Self::with_file(weights, format::write(weights)))
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When the bytes are not exactly those of a network of this version, or there is not enough memory.
    pub fn parse(file: &[u8]) -> Result<Self, NetworkError> {
        let weights = format::read(file)?;
        check_room(LAYERS, weights.size.layers())?;
        Ok(Self::with_file(&weights, file.to_vec()))
    }

    fn with_file(weights: &NetworkWeights, file: Vec<u8>) -> Self {
        let (scope, architecture) = (weights.scope.clone(), weights.architecture);
        let layers = CellLayers::new(scope.canvas(), architecture, weights.reader());
        Self {
            scope,
            architecture,
            num_weights: weights.numbers.len(),
            file: file.into(),
            layers: Arc::new(layers),
        }
    }

    /// The network with weights rounded to 16 bits, whose file is half as large.
    ///
    /// # Errors
    ///
    /// When a weight is too large for 16 bits, or there is not enough memory.
    pub fn half(&self) -> Result<Self, NetworkError> {
        Self::new(&format::read(&self.file)?.half()?)
    }

    /// All weights and biases, layer by layer.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn weights(&self) -> Result<Vec<f32>, NetworkError> {
        Ok(format::read(&self.file)?.numbers)
    }

    /// The boards that it was trained on.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The network on one of its boards.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    ///
    /// # Panics
    ///
    /// If the variant is not in its [scope](Network::scope).
    pub fn on(&self, variant: &Variant) -> Result<BoardNetwork, OutOfMemory> {
        assert!(self.scope.contains(variant), "the network is for others");
        check_room(LAYERS, self.bytes_on(variant.board()))?;
        Ok(BoardNetwork::new(variant, Arc::clone(&self.layers)))
    }

    /// An upper bound for the bytes that the network on a board takes beside the network itself.
    #[must_use]
    pub fn bytes_on(&self, board: &Board) -> u64 {
        board_bytes(self.architecture, board.num_cells())
    }

    /// What it is built of.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// How many numbers were learned.
    #[must_use]
    pub fn num_weights(&self) -> usize {
        self.num_weights
    }

    /// The file, as [`Network::parse`] reads it.
    #[must_use]
    pub fn file(&self) -> &[u8] {
        &self.file
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Architecture { units, blocks, .. } = self.architecture;
        write!(f, "Network({units} units, {blocks} blocks)")
    }
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

impl Eq for Network {}

impl Hash for Network {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.file.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::encode::Layout;
    use crate::file_header::fnv1a;
    use crate::game::Opening;
    use crate::policy::opening;
    use crate::random::{Draw, SplitMix64};
    use crate::search::Limits;
    use crate::simd::{Processor, on};

    /// A network of cells with units in a part of a vector, and its board.
    fn network_of(units: usize, variant: Variant) -> (Network, Variant) {
        scaled_network_of(units, variant, |_| 1.0)
    }

    /// The same with weights times `scale(index)`.
    fn scaled_network_of(
        units: usize,
        variant: Variant,
        scale: impl Fn(usize) -> f32,
    ) -> (Network, Variant) {
        let (blocks, heads) = (2, 4);
        let architecture = Architecture {
            units,
            blocks,
            heads,
        };
        let block = 2 * 7 * 7 * heads + units * (6 * units + 9);
        let count = 26 * units + blocks * block + units * (units + 3) + 7 * (units + 1);
        let mut rng = SplitMix64::new(3);
        let weight = |index| scale(index) * (rng.unit() as f32 - 0.5);
        let weights = (0..count).map(weight).collect();
        let weights = NetworkWeights::new(variant.clone(), architecture, weights).unwrap();
        (Network::new(&weights).unwrap(), variant)
    }

    /// The champion, and networks whose layers are wider than a strip, leave strips of several widths, or have
    /// tokens left after whole groups.
    fn networks() -> [(Network, Variant); 5] {
        let file = include_bytes!("../../python/mijnlieff/data/champion.bin");
        let board = Board::from_text("#...\n####\n####\n####").unwrap();
        let odd = Variant::new(board, Opening::Anywhere, 2).unwrap();
        let champion = (Network::parse(file).unwrap(), Variant::default());
        let [a, b, c] = [20, 60, 100].map(|units| network_of(units, Variant::default()));
        [champion, a, b, c, network_of(60, odd)]
    }

    /// The bits of a network's evaluations of some positions.
    fn evaluations((network, variant): &(Network, Variant)) -> Vec<u32> {
        let mut observations = Array2::zeros((33, Layout::Flat.len(variant)));
        for (number, row) in (0..).zip(observations.outer_iter_mut()) {
            let position = opening(variant, number as usize % 12, number).unwrap();
            let row = row.into_slice().unwrap();
            crate::encode::observe::<f32>(variant, &position, Layout::Flat, row);
        }
        let network = network.on(variant).unwrap();
        let found = network
            .evaluate(&observations, 1, Limits::default())
            .unwrap();
        let numbers = found.logits.iter().chain(&found.values);
        numbers.map(|number| number.to_bits()).collect()
    }

    #[test]
    fn a_network_gives_the_same_bits_on_all_processors() {
        for on_board in networks() {
            let evaluate = || evaluations(&on_board);
            let expected = on(Processor::Portable, evaluate);
            let processors = [
                Processor::WithoutAvx512,
                Processor::WithoutTiles,
                Processor::Newest,
            ];
            for processor in [Processor::Tiles].into_iter().chain(processors) {
                let is_same = on(processor, evaluate) == expected;
                assert!(is_same, "{on_board:?}, {processor:?}");
            }
        }
    }

    #[test]
    fn numbers_that_overflow_are_not_a_number_on_all_processors() {
        const UNITS: usize = 60;
        // Those of all kernels.
        let kernels = 26 * UNITS..26 * UNITS + 2 * 2 * 7 * 7 * 4;
        let variant = Variant::default;
        let everywhere = scaled_network_of(UNITS, variant(), |_| 1e30);
        let convolved = scaled_network_of(UNITS, variant(), |index| {
            if kernels.contains(&index) {
                f32::MAX
            } else {
                1.0
            }
        });
        for on_board in [everywhere, convolved] {
            for processor in [
                Processor::Portable,
                Processor::WithoutAvx512,
                Processor::Newest,
            ] {
                let found = on(processor, || evaluations(&on_board));
                let numbers = found.into_iter().map(f32::from_bits);
                assert_eq!(
                    numbers.filter(|it| !it.is_nan()).count(),
                    0,
                    "{processor:?}"
                );
            }
        }
    }

    /// Evaluations are also the same with every compiler and on every platform. The network in
    /// `tests/core/stored_bits.rs` has units for a single vector, so that nothing is added up over vectors.
    #[test]
    fn a_network_keeps_its_bits() {
        let hashes = [20, 60].map(|units| {
            let bits = evaluations(&network_of(units, Variant::default()));
            let bytes: Vec<u8> = bits.into_iter().flat_map(u32::to_le_bytes).collect();
            fnv1a(&bytes)
        });
        assert_eq!(hashes, [0x1AA6_3F72_DF6E_519E, 0x6EFD_9599_EE07_9AB3]);
    }
}
