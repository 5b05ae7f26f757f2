//! How many positions can be reached, by ply and margin, and what is to be known of them.

mod facts;
mod reach;

use std::sync::atomic::{AtomicBool, Ordering};

pub use self::facts::{Exchange, Facts};
use self::facts::{FactFinder, Tally};
use self::reach::{Open, Reach, hands_with};
use super::fill::{Division, Filler, Planes, divisions, hands_without};
use super::layout::{DRAW, Layout, MAX_POINTS, Part, State, choices};
use super::{Tablebase, TablebaseError};
use crate::game::{Position, Variant};
use crate::memory::{OutOfMemory, filled, zeroed};
use crate::threads::map_in_order;

/// Named in the error if memory does not suffice.
const COUNTS: &str = "what is counted of the positions of a table";

/// Numbers of positions by margin, the least margin first.
pub type MarginCounts = [u64; 2 * MAX_POINTS as usize + 1];

/// The positions that can be reached in games of a variant and are not over, up to symmetry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Census {
    /// By ply.
    pub plies: Vec<PlyCensus>,
    /// How many turns in a row leave a single action, from each position on: numbers of positions.
    pub forced: Vec<u64>,
    /// A position from which the most turns do.
    pub most_forced: CensusPosition,
    /// What it changes to hold another piece: first the type given, then the type got.
    pub exchanges: [[Exchange; 4]; 4],
}

/// The positions of a ply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlyCensus {
    /// By the margin of the side to move, up to symmetry.
    pub margins: MarginCounts,
    /// How many there are if symmetric positions are not one.
    pub as_they_are: u64,
    /// What else is known; nothing is counted unless it is asked for.
    pub facts: Facts,
}

/// A position as sets of cells, a bit each, and hands of two bits for each type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CensusPosition {
    /// The number that made it stand out.
    pub number: u8,
    /// The stones of the side to move.
    pub own: u16,
    /// Those of the opponent.
    pub opp: u16,
    /// The allowed cells.
    pub allowed: u16,
    /// The hands, that of the side to move from bit 0, the opponent's from bit 16.
    pub hands: u32,
}

/// The count of a level.
struct Counting<'a> {
    table: &'a Tablebase,
    variant: &'a Variant,
    reach: Reach<'a>,
    /// The rows with as many stones, and with one more; empty where there are none.
    rows: &'a [u8],
    after: &'a [u8],
    hands_without: &'a [super::fill::OtherHands],
    with_facts: bool,
}

/// What a thread works with.
struct Counter<'a> {
    own_rows: Planes,
    opp_rows: Planes,
    /// The margins of a set of allowed cells, as they are stored.
    best: Vec<u8>,
    opp_best: Vec<u8>,
    /// After how many passes the positions of a set are reached, a bit each.
    reached: Vec<u16>,
    facts: Option<FactFinder<'a>>,
}

impl Tablebase {
    /// Counts the positions that can be reached in games of a variant, by ply and by margin.
    ///
    /// Positions count in which a cell is empty and the game is not over, once for every ply at which
    /// games reach them, seen by the side to move. With `with_facts`, which takes three times as long, more
    /// is found out about them.
    ///
    /// # Errors
    ///
    /// When a part of the table is damaged, `stop` is set, or memory does not suffice.
    ///
    /// # Panics
    ///
    /// If the table does not serve the variant.
    pub fn census(
        &self,
        variant: &Variant,
        with_facts: bool,
        num_threads: usize,
        stop: &AtomicBool,
    ) -> Result<Census, TablebaseError> {
        assert!(self.serves(variant), "a table of another game");
        self.check(stop)?; // the rows are read without looking at checksums
        let layout = &self.layout;
        let (hands_with, hands_without) = (hands_with(layout), hands_without(layout));
        let last_turns = last_turns(layout);
        let mut before: Open = Vec::new();
        let mut total = Tally::new(variant.max_game_length() + 1);
        for (stones, last_turn) in last_turns.iter().enumerate() {
            let counting = Counting {
                table: self,
                variant,
                reach: Reach {
                    layout,
                    variant,
                    hands_with: &hands_with,
                    before: &before,
                },
                rows: self.rows_of(stones),
                after: self.rows_of(stones + 1),
                hands_without: &hands_without,
                with_facts,
            };
            let per_row = layout.cells - stones;
            let mut open: Open = zeroed(COUNTS, layout.levels[stones].num_rows() * per_row)?;
            let mut work = divisions(layout, stones, &mut open, per_row);
            if let Some(part) = last_turn {
                let own_count = stones - layout.pieces;
                let sets = layout.levels[stones].sets.iter();
                work.extend(sets.map(|&taken| {
                    let division = Division {
                        part,
                        own_count,
                        taken,
                    };
                    (division, [].as_mut_slice())
                }));
            }
            let found = map_in_order(
                work,
                num_threads,
                || counting.counter(),
                |counter, (division, open)| {
                    if stop.load(Ordering::Relaxed) {
                        return Err(TablebaseError::Stopped);
                    }
                    let counter = counter.as_mut().map_err(|error| *error)?;
                    counting.count(counter, division, open)
                },
            )?;
            for part in &found {
                total.add(stones, part);
            }
            before = open;
        }
        Ok(total.into_census())
    }

    fn rows_of(&self, stones: usize) -> &[u8] {
        match (self.levels.get(stones), self.layout.levels.get(stones)) {
            (Some(rows), Some(level)) => &self.map[rows.start..][..level.bytes],
            _ => &[],
        }
    }
}

/// By the number of stones: the ways to lie and hold pieces before the last turn, where the opponent has
/// placed all of them.
fn last_turns(layout: &Layout) -> Vec<Option<Part>> {
    let parts = (0..layout.cells).map(|stones| {
        let own = stones.checked_sub(layout.pieces)?;
        let holds = own < layout.pieces;
        holds.then(|| Part {
            start: 0,
            choices: choices(stones, own),
            own_hands: layout.hands[own].len(),
            opp_hands: 1,
            block_bytes: 0,
        })
    });
    parts.collect()
}

impl<'a> Counting<'a> {
    fn counter(&self) -> Result<Counter<'a>, OutOfMemory> {
        let layout = self.reach.layout;
        let most = layout.most_rows();
        let finder = self.with_facts.then(|| {
            let filler = Filler::new(layout, self.after, self.hands_without, true)?;
            FactFinder::new(layout, self.variant, filler)
        });
        Ok(Counter {
            own_rows: Planes::new(most, layout.cells + 1)?,
            opp_rows: Planes::new(most, layout.cells + 1)?,
            best: filled(COUNTS, most, 0)?,
            opp_best: filled(COUNTS, most, 0)?,
            reached: filled(COUNTS, most, 0)?,
            facts: finder.transpose()?,
        })
    }

    /// Counts the positions of a division, and fills in where they may be gone on from.
    fn count(
        &self,
        counter: &mut Counter<'_>,
        division: Division<'_>,
        open: &mut [u16],
    ) -> Result<Tally, TablebaseError> {
        let layout = self.reach.layout;
        let stones = division.taken.count_ones() as usize;
        let mut tally = Tally::new(stones + 1);
        let cells = layout.cells - stones;
        let block = division.part.rows() * cells;
        let mut blocks = open.chunks_exact_mut(block);
        for own in division.choices() {
            let open = blocks.next().unwrap_or_default();
            self.count_block(counter, division, own, open, &mut tally)?;
        }
        Ok(tally)
    }

    fn count_block(
        &self,
        counter: &mut Counter<'_>,
        division: Division<'_>,
        own: u16,
        open: &mut [u16],
        tally: &mut Tally,
    ) -> Result<(), TablebaseError> {
        let layout = self.reach.layout;
        let geometry = &layout.geometry;
        let opp = division.taken & !own;
        let found = self.reach.block(division, own);
        if found.is_empty() {
            return Ok(());
        }
        let rows = division.part.rows();
        let empty = geometry.all & !division.taken;
        self.read_rows(counter, division, own);
        if let Some(facts) = &mut counter.facts {
            facts.begin(division, own);
        }
        for (set, reached) in found.sets(rows) {
            if !division.untransposed(reached, &mut counter.reached) {
                continue;
            }
            let places = layout.gather(empty, set);
            let may_go_on = (0..16).filter(|place| places >> place & 1 == 1);
            for place in may_go_on {
                if let Some(plane) = open.get_mut(place * rows..(place + 1) * rows) {
                    for (open, reached) in plane.iter_mut().zip(&counter.reached) {
                        *open |= reached;
                    }
                }
            }
            // Of symmetric positions with the same stones, one counts.
            let Some(symmetric) = geometry.images_of_least(division.taken, (own, set)) else {
                continue;
            };
            if division.taken == 0 {
                let start = Position::new(self.variant);
                let margin = self.table.margin(self.variant, &start)?;
                counter.best[0] = (i32::from(DRAW) + margin) as u8;
            } else {
                Self::read_margins(layout, counter, division, (own, opp), set, places);
            }
            let reached = &counter.reached[..rows];
            tally.count(reached, &counter.best, symmetric);
            if let Some(facts) = &mut counter.facts {
                facts.find(division, own, set, places, reached, &counter.best, tally);
            }
        }
        Ok(())
    }

    /// Takes the rows of both players' blocks apart.
    fn read_rows(&self, counter: &mut Counter<'_>, division: Division<'_>, own: u16) {
        if division.part.block_bytes == 0 {
            return;
        }
        let layout = self.reach.layout;
        let opp = division.taken & !own;
        let read = |planes: &mut Planes, own: u16, opp: u16| {
            let block = layout.block(own, opp);
            let rows = &self.rows[block.start..][..block.part.block_bytes];
            planes.unpack(rows, layout.levels[block.stones].row_bytes);
        };
        read(&mut counter.own_rows, own, opp);
        read(&mut counter.opp_rows, opp, own);
    }

    /// The margins of a set of allowed cells.
    fn read_margins(
        layout: &Layout,
        counter: &mut Counter<'_>,
        division: Division<'_>,
        (own, opp): (u16, u16),
        set: u16,
        places: u16,
    ) {
        let geometry = &layout.geometry;
        let Part {
            own_hands,
            opp_hands,
            ..
        } = *division.part;
        let rows = division.part.rows();
        if division.part.block_bytes == 0 {
            let gain = geometry.best_gain(own, set);
            let margin = geometry.points(own) + gain - geometry.points(opp);
            counter.best[..rows].fill((i32::from(DRAW) + margin) as u8);
        } else if set == 0 {
            let empty = geometry.all & !division.taken;
            let all = layout.places(&layout.block(opp, own), empty);
            counter.opp_rows.largest(all, rows, &mut counter.opp_best);
            for own_hand in 0..own_hands {
                for opp_hand in 0..opp_hands {
                    counter.best[own_hand * opp_hands + opp_hand] =
                        2 * DRAW - counter.opp_best[opp_hand * own_hands + own_hand];
                }
            }
        } else {
            counter.own_rows.largest(places, rows, &mut counter.best);
        }
    }
}

impl Division<'_> {
    /// Turns a plane around that has the opponent's hands first; whether anything is in it.
    fn untransposed(&self, plane: &[u16], turned: &mut [u16]) -> bool {
        let (own_hands, opp_hands) = (self.part.own_hands, self.part.opp_hands);
        let mut any = 0;
        for (opp_hand, hands) in plane.chunks_exact(own_hands).enumerate() {
            for (own_hand, &reached) in hands.iter().enumerate() {
                turned[own_hand * opp_hands + opp_hand] = reached;
                any |= reached;
            }
        }
        any != 0
    }
}

impl CensusPosition {
    fn new(number: u8, state: State) -> Self {
        let State {
            own,
            opp,
            allowed,
            hands,
        } = state;
        Self {
            number,
            own,
            opp,
            allowed,
            hands,
        }
    }
}
