//! The tables of the games on any boards.

use std::iter;
use std::sync::Arc;

use crate::encode::VariantSet;
use crate::game::{Cell, Piece, Variant};
use crate::memory::{OutOfMemory, with_room};
use crate::simd::Simd;

/// Named in the error if memory does not suffice.
const TABLES: &str = "the tables of the variants";

/// The bits of a word.
const WORD: usize = u64::BITS as usize;

/// The number in place of a cell where a slot has none. Its lowest bits are those of cell 0.
pub(super) const NO_CELL: u8 = 128;

/// What lies in the slots of one word: some cells of a board, in their order.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// The slots with a cell.
    mask: u64,
    /// How many cells lie in slots before these.
    before: u8,
}

/// Where the cells of each variant lie among the numbers of a set of cells: in a plane of an
/// observation, or among the actions of a type. Cells and slots ascend together.
#[derive(Debug)]
pub(super) struct Slots {
    /// The number of slots.
    pub(super) area: usize,
    /// The first slot of each word. The last word overlaps the one before it where the slots do not
    /// fill whole words.
    pub(super) starts: Vec<usize>,
    /// By variant and word.
    parts: Vec<Part>,
}

impl Slots {
    /// `slot` gives the slot of a cell of a variant.
    fn new(
        variants: &[Arc<Variant>],
        area: usize,
        slot: impl Fn(&Variant, Cell) -> usize,
    ) -> Result<Self, OutOfMemory> {
        let words = area.div_ceil(WORD);
        let last = area.saturating_sub(WORD);
        let starts: Vec<usize> = (0..words).map(|word| last.min(word * WORD)).collect();
        let mut parts = with_room(TABLES, variants.len() * words)?;
        for variant in variants {
            for &start in &starts {
                let slots = variant.board().all().into_iter();
                let slots = slots.map(|cell| slot(variant, cell));
                let before = slots.clone().filter(|&slot| slot < start).count();
                let inside = slots.filter(|slot| (start..start + WORD).contains(slot));
                parts.push(Part {
                    mask: inside.fold(0, |mask, slot| mask | 1 << (slot - start)),
                    // All cells lie before only where the mask is empty.
                    before: before.min(WORD - 1) as u8,
                });
            }
        }
        Ok(Self {
            area,
            starts,
            parts,
        })
    }

    /// The slots of the cells of a set, of those in one word.
    #[inline(always)]
    pub(super) fn of<V: Simd>(&self, simd: V, variant: usize, word: usize, cells: u64) -> u64 {
        let part = &self.parts[variant * self.starts.len() + word];
        simd.deposit(cells >> part.before, part.mask)
    }
}

/// Tables that are computed once for a set of variants.
#[derive(Debug)]
pub(crate) struct WideTables {
    pub(super) variants: Arc<VariantSet>,
    /// The slots of the actions of a type.
    pub(super) actions: Slots,
    /// The slots of a plane of an observation.
    pub(super) planes: Slots,
    pub(super) pass: usize,
    openings: Vec<OpeningRule>,
    /// The most cells of a board.
    most_cells: usize,
    /// The cells that a turn points to, by variant, type and cell. A pass comes after the types.
    reach: Vec<u64>,
    /// The cell of a slot among the actions, by variant.
    cells: Vec<u8>,
    /// The slot of a cell among the actions, by variant.
    slots: Vec<u16>,
}

/// How a game of a variant starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpeningRule {
    /// The cells where Light may open.
    pub(super) cells: u64,
    /// The types with which Light may open, one bit each.
    pub(super) types: u8,
    /// The pieces of each type that a player has.
    pub(super) copies: u8,
}

impl WideTables {
    /// The rows of `reach` of a variant: one for each type, and one for the pass.
    const TURNS: usize = Piece::ALL.len() + 1;

    pub(super) fn new(set: &Arc<VariantSet>) -> Result<Self, OutOfMemory> {
        let variants = set.all();
        let frame = set.frame();
        let board = variants[0].board();
        let (width, height) = match frame {
            Some(frame) => (frame.width(), frame.height()),
            None => (board.width(), board.height()),
        };
        let in_plane = |variant: &Variant, cell: Cell| {
            let (x, y) = variant.board().cells()[cell.index()];
            usize::from(y) * width + usize::from(x)
        };
        let planes = Slots::new(variants, width * height, in_plane)?;
        let area = set.pass_action() / Piece::ALL.len();
        let in_actions = |variant: &Variant, cell: Cell| match frame {
            Some(_) => in_plane(variant, cell),
            None => cell.index(),
        };
        let actions = Slots::new(variants, area, in_actions)?;
        let sizes = variants.iter().map(|variant| variant.board().num_cells());
        let most_cells = sizes.max().unwrap_or(0);
        let mut reach = with_room(TABLES, variants.len() * Self::TURNS * most_cells)?;
        let mut cells = with_room(TABLES, variants.len() * area)?;
        let mut slots = with_room(TABLES, variants.len() * most_cells)?;
        let mut openings = with_room(TABLES, variants.len())?;
        for variant in variants {
            let board = variant.board();
            let own = || board.all().into_iter();
            let missing = most_cells - board.num_cells();
            for piece in Piece::ALL {
                reach.extend(own().map(|cell| board.reach(piece, cell).bits()));
                reach.extend(iter::repeat_n(0, missing));
            }
            reach.extend(iter::repeat_n(board.all().bits(), most_cells));
            let first = cells.len();
            cells.resize(first + area, NO_CELL);
            for cell in own() {
                let slot = in_actions(variant, cell);
                cells[first + slot] = cell.index() as u8;
                slots.push(slot as u16);
            }
            slots.extend(iter::repeat_n(0, missing));
            let admits = |piece: &Piece| variant.opening().admits(*piece);
            let admitted = Piece::ALL.into_iter().filter(admits);
            openings.push(OpeningRule {
                cells: variant.opening_cells().bits(),
                types: admitted.fold(0, |types, piece| types | 1 << piece.index()),
                copies: variant.copies(),
            });
        }
        Ok(Self {
            variants: set.clone(),
            actions,
            planes,
            pass: set.pass_action(),
            openings,
            most_cells,
            reach,
            cells,
            slots,
        })
    }

    #[inline(always)]
    pub(super) fn opening(&self, variant: usize) -> OpeningRule {
        self.openings[variant]
    }

    /// The type of an action, 4 for the pass, and its cell in a variant. For a number that is not an
    /// action, those of some action.
    #[inline(always)]
    pub(super) fn turn(&self, variant: usize, action: usize) -> (usize, u8) {
        let (action, area) = (action.min(self.pass), self.actions.area);
        // Sums of comparisons, as a division would take longer.
        let from = |piece: usize| usize::from(action >= piece * area);
        let piece = from(1) + from(2) + from(3) + from(4);
        (piece, self.cells[variant * area + action - piece * area])
    }

    /// The cells that a turn points to.
    #[inline(always)]
    pub(super) fn reach(&self, variant: usize, piece: usize, cell: usize) -> u64 {
        self.reach[(variant * Self::TURNS + piece) * self.most_cells + cell]
    }

    /// The action that places a piece on a cell.
    #[inline(always)]
    pub(super) fn placement(&self, variant: usize, piece: usize, cell: usize) -> usize {
        let slot = self.slots[variant * self.most_cells + cell];
        piece * self.actions.area + usize::from(slot)
    }
}

/// The types that a hand has a piece of, one bit each. The hand is a byte below 128 for each type.
#[inline(always)]
pub(super) const fn held(hand: u32) -> u8 {
    // A state that is about to be replaced may have other bytes.
    let any = hand.wrapping_add(0x7f7f_7f7f) & 0x8080_8080;
    // Brings the highest bits of the bytes together.
    ((any as u64 >> 7).wrapping_mul(0x0102_0408) >> 24) as u8 & 15
}
