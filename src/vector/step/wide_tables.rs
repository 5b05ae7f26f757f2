//! The tables of the games on any boards.

use std::sync::Arc;

use crate::encode::{Canvas, Numbering, VariantSet};
use crate::game::{Board, Cell, Piece, Variant};
use crate::memory::{OutOfMemory, filled, with_room};
use crate::simd::Simd;

/// Named in the error if memory does not suffice.
const TABLES: &str = "the tables of the variants";

/// The bits of a word.
const WORD: usize = u64::BITS as usize;

/// What lies in the slots of one word: some cells of a board, in their order.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// The slots with a cell.
    mask: u64,
    /// How many cells lie in slots before these; 0 where the mask is empty.
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
    /// The slots of a canvas of this area, or of boards with this many cells.
    fn new(
        variants: &[Arc<Variant>],
        area: usize,
        canvas: Option<Canvas>,
    ) -> Result<Self, OutOfMemory> {
        let words = area.div_ceil(WORD);
        let last = area.saturating_sub(WORD);
        let starts: Vec<usize> = (0..words).map(|word| last.min(word * WORD)).collect();
        let empty = Part { mask: 0, before: 0 };
        let mut parts = filled(TABLES, variants.len() * words, empty)?;
        for (variant, parts) in variants.iter().zip(parts.chunks_exact_mut(words)) {
            for (before, cell) in variant.board().all().into_iter().enumerate() {
                let slot = Numbering::new(variant, canvas).slot(cell);
                let mut put = |word: usize| {
                    let part = &mut parts[word];
                    if part.mask == 0 {
                        part.before = before as u8;
                    }
                    part.mask |= 1 << (slot - starts[word]);
                };
                if slot / WORD < words - 1 {
                    put(slot / WORD);
                }
                if slot >= last {
                    put(words - 1);
                }
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

/// The effect of a turn.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))] // never in two cache lines
pub(super) struct Effect {
    /// The cell of the stone; empty for a pass.
    pub(super) stone: u64,
    /// The cells that the opponent may be pointed to.
    pub(super) reach: u64,
    /// Taken from the hands: a piece of the type.
    pub(super) piece: u64,
    /// The index of the type, or one of the numbers of [`Effect`].
    pub(super) kind: u8,
    /// The cell, or [`Effect::PASSED`].
    pub(super) last: u8,
}

impl Effect {
    /// The kind of a pass.
    pub(super) const PASS: u8 = Piece::ALL.len() as u8;
    /// The kind of what is not an action.
    const NOTHING: u8 = Self::PASS + 1;
    /// The last turn in place of a cell.
    pub(super) const PASSED: u8 = 64;

    fn of(board: &Board, piece: Piece, cell: Cell) -> Self {
        Self {
            stone: 1 << cell.index(),
            reach: board.reach(piece, cell).bits(),
            piece: 1 << (8 * piece.index()),
            kind: piece.index() as u8,
            last: cell.index() as u8,
        }
    }

    fn pass(board: &Board) -> Self {
        Self {
            reach: board.all().bits(),
            kind: Self::PASS,
            last: Self::PASSED,
            ..Self::default()
        }
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
    /// The effect of each turn of a variant: nothing, a pass, and placements by type and cell.
    effects: Vec<Effect>,
    /// The number of the effect of each action, by variant.
    turns: Vec<u32>,
    /// The slot of a cell among the actions, by variant.
    slots: Vec<u16>,
}

/// The first effects of every variant.
const NOTHING: usize = 0;
const PASS: usize = 1;
const FIRST_PLACEMENT: usize = 2;

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
    pub(super) fn new(set: &Arc<VariantSet>) -> Result<Self, OutOfMemory> {
        let variants = set.all();
        let plane = set.of(0).rectangle();
        let pass = set.pass_action();
        let area = pass / Piece::ALL.len();
        let sizes = variants.iter().map(|variant| variant.board().num_cells());
        let mut tables = Self {
            variants: set.clone(),
            actions: Slots::new(variants, area, set.canvas())?,
            planes: Slots::new(variants, plane.area(), Some(plane))?,
            pass,
            openings: with_room(TABLES, variants.len())?,
            most_cells: sizes.max().unwrap_or(0),
            effects: Vec::new(),
            turns: filled(TABLES, variants.len() * (pass + 1), 0)?,
            slots: Vec::new(),
        };
        let most_cells = tables.most_cells;
        let stride = FIRST_PLACEMENT + Piece::ALL.len() * most_cells;
        tables.effects = filled(TABLES, variants.len() * stride, Effect::default())?;
        tables.slots = filled(TABLES, variants.len() * most_cells, 0)?;
        for (index, variant) in variants.iter().enumerate() {
            let board = variant.board();
            let first = index * stride;
            let effects = &mut tables.effects[first..][..stride];
            let turns = &mut tables.turns[index * (pass + 1)..][..=pass];
            effects[NOTHING].kind = Effect::NOTHING;
            effects[PASS] = Effect::pass(board);
            turns.fill((first + NOTHING) as u32);
            turns[pass] = (first + PASS) as u32;
            for cell in board.all() {
                let slot = set.of(index).slot(cell);
                tables.slots[index * most_cells + cell.index()] = slot as u16;
                for piece in Piece::ALL {
                    let turn = FIRST_PLACEMENT + piece.index() * most_cells + cell.index();
                    effects[turn] = Effect::of(board, piece, cell);
                    turns[piece.index() * area + slot] = (first + turn) as u32;
                }
            }
            let admits = |piece: &Piece| variant.opening().admits(*piece);
            let admitted = Piece::ALL.into_iter().filter(admits);
            tables.openings.push(OpeningRule {
                cells: variant.opening_cells().bits(),
                types: admitted.fold(0, |types, piece| types | 1 << piece.index()),
                copies: variant.copies(),
            });
        }
        Ok(tables)
    }

    /// The effect of an action; for a number that is not an action, that of some turn.
    #[inline(always)]
    pub(super) fn effect(&self, variant: usize, action: usize) -> &Effect {
        let turn = self.turns[variant * (self.pass + 1) + action.min(self.pass)];
        &self.effects[turn as usize]
    }

    #[inline(always)]
    pub(super) fn opening(&self, variant: usize) -> OpeningRule {
        self.openings[variant]
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
