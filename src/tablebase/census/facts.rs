//! What is found out about positions that are counted.

use super::super::fill::{Division, Filler};
use super::super::layout::{DRAW, Layout, MAX_POINTS, State};
use super::{COUNTS, Census, CensusPosition, MarginCounts, PlyCensus};
use crate::game::{Piece, Variant};
use crate::memory::{OutOfMemory, filled};

/// The most passes before a position, and one more.
const PASSES: usize = 16;

/// What is known of the positions of a ply, up to symmetry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// In which the side to move has to pass.
    pub passes: u64,
    /// In which it can make the opponent pass.
    pub can_block: u64,
    /// In which only a move that makes the opponent pass keeps the outcome.
    pub block_decides: u64,
    /// In which a single one of several legal actions keeps a win or a draw.
    pub single_saving: u64,
    /// The legal actions of all positions.
    pub actions: u64,
    /// By the margin of the best action less that of the worst, in points.
    pub swings: MarginCounts,
    /// The shares of actions that are best, and that keep the outcome, summed over the positions.
    pub best_share: f64,
    /// See `best_share`.
    pub kept_share: f64,
    /// The mean loss of the actions compared with the best, in points, summed over the positions.
    pub regret: f64,
    /// The same in outcomes: a win turned into a loss counts as 2.
    pub outcome_regret: f64,
    /// A position with a single saving move among the most actions, which are its number.
    pub hardest: CensusPosition,
    /// A position with the largest swing, which is its number.
    pub widest: CensusPosition,
}

/// What it changes to hold a piece of another type, over the positions where that is possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The changes of the margin, summed.
    pub points: i64,
    /// The positions.
    pub positions: u64,
}

/// The counts of a part of a level by the number of passes, or of all by ply.
pub(super) struct Tally {
    plies: Vec<PlyCensus>,
    forced: Vec<u64>,
    most_forced: CensusPosition,
    exchanges: [[Exchange; 4]; 4],
}

impl Tally {
    pub(super) fn new(plies: usize) -> Self {
        Self {
            plies: vec![PlyCensus::default(); plies],
            forced: Vec::new(),
            most_forced: CensusPosition::default(),
            exchanges: [[Exchange::default(); 4]; 4],
        }
    }

    /// Counts the positions of a set of allowed cells.
    pub(super) fn count(&mut self, reached: &[u16], best: &[u8], symmetric: u64) {
        let mut counts = [[0_u32; 16]; PASSES];
        for (&reached, &best) in reached.iter().zip(best) {
            for passes in bits(reached) {
                counts[passes][usize::from(best & 0xf)] += 1;
            }
        }
        for (ply, counts) in self.plies.iter_mut().zip(&counts) {
            for (sum, &count) in ply.margins.iter_mut().zip(&counts[1..]) {
                *sum += u64::from(count);
                ply.as_they_are += symmetric * u64::from(count);
            }
        }
    }

    /// Adds the counts of a part of a level.
    pub(super) fn add(&mut self, stones: usize, part: &Self) {
        for (ply, found) in self.plies[stones..].iter_mut().zip(&part.plies) {
            add(&mut ply.margins, &found.margins);
            ply.as_they_are += found.as_they_are;
            ply.facts.add(&found.facts);
        }
        if self.forced.len() < part.forced.len() {
            self.forced.resize(part.forced.len(), 0);
        }
        add(&mut self.forced, &part.forced);
        raise(&mut self.most_forced, part.most_forced);
        let exchanges = self.exchanges.iter_mut().flatten();
        for (sum, found) in exchanges.zip(part.exchanges.iter().flatten()) {
            sum.points += found.points;
            sum.positions += found.positions;
        }
    }

    pub(super) fn into_census(mut self) -> Census {
        while self.plies.last().is_some_and(|ply| ply.as_they_are == 0) {
            self.plies.pop();
        }
        Census {
            plies: self.plies,
            forced: self.forced,
            most_forced: self.most_forced,
            exchanges: self.exchanges,
        }
    }
}

impl Facts {
    fn add(&mut self, other: &Self) {
        self.passes += other.passes;
        self.can_block += other.can_block;
        self.block_decides += other.block_decides;
        self.single_saving += other.single_saving;
        self.actions += other.actions;
        add(&mut self.swings, &other.swings);
        self.best_share += other.best_share;
        self.kept_share += other.kept_share;
        self.regret += other.regret;
        self.outcome_regret += other.outcome_regret;
        raise(&mut self.hardest, other.hardest);
        raise(&mut self.widest, other.widest);
    }
}

fn add(sums: &mut [u64], counts: &[u64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

fn raise(most: &mut CensusPosition, found: CensusPosition) {
    if found.number > most.number {
        *most = found;
    }
}

fn bits(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            bit
        })
    })
}

/// What is known of the actions in the positions of one set of allowed cells, by row.
#[derive(Debug)]
struct Actions {
    legal: Vec<u8>,
    /// The sum of the values, as they are stored.
    sum: Vec<u16>,
    worst: Vec<u8>,
    /// The best that lets the opponent move.
    best_open: Vec<u8>,
    blocking: Vec<u8>,
    are_best: Vec<u8>,
    keep: Vec<u8>,
    win: Vec<u8>,
    draw: Vec<u8>,
}

/// Finds out more about the positions of a block.
pub(super) struct FactFinder<'a> {
    layout: &'a Layout,
    variant: &'a Variant,
    filler: Filler<'a>,
    actions: Actions,
    /// For each number of pieces placed and hand: types given and got, and the hand after it.
    exchanges: Vec<Vec<Vec<(usize, usize, usize)>>>,
}

impl<'a> FactFinder<'a> {
    pub(super) fn new(
        layout: &'a Layout,
        variant: &'a Variant,
        filler: Filler<'a>,
    ) -> Result<Self, OutOfMemory> {
        let most = layout.most_rows();
        let plane = || filled(COUNTS, most, 0);
        Ok(Self {
            layout,
            variant,
            filler,
            actions: Actions {
                legal: plane()?,
                sum: filled(COUNTS, most, 0)?,
                worst: plane()?,
                best_open: plane()?,
                blocking: plane()?,
                are_best: plane()?,
                keep: plane()?,
                win: plane()?,
                draw: plane()?,
            },
            exchanges: exchanges(layout),
        })
    }

    /// Begins with a block: the margins of all actions.
    pub(super) fn begin(&mut self, division: Division<'_>, own: u16) {
        self.filler.fill_block(division, own);
    }

    /// Adds what is known of the positions of a set of allowed cells to the counts.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the parts of one position"
    )]
    pub(super) fn find(
        &mut self,
        division: Division<'_>,
        own: u16,
        set: u16,
        places: u16,
        reached: &[u16],
        best: &[u8],
        tally: &mut Tally,
    ) {
        let best = &best[..reached.len()];
        self.survey(division, places, best);
        for (row, (&reached, &best)) in reached.iter().zip(best).enumerate() {
            if reached != 0 {
                let state = self.state(division, own, set, row);
                self.add(row, state, best, reached, tally);
            }
        }
        if set != 0 && division.taken != 0 {
            self.exchange(division, reached, best, tally);
        }
    }

    fn state(&self, division: Division<'_>, own: u16, allowed: u16, row: usize) -> State {
        let opp_hands = division.part.opp_hands;
        let opp_count = division.taken.count_ones() as usize - division.own_count;
        let own_hand = self.layout.hands[division.own_count][row / opp_hands];
        let opp_hand = self.layout.hands[opp_count][row % opp_hands];
        State {
            own,
            opp: division.taken & !own,
            allowed,
            hands: u32::from(own_hand) | u32::from(opp_hand) << 16,
        }
    }

    /// Sums up the actions of all rows.
    fn survey(&mut self, division: Division<'_>, places: u16, best: &[u8]) {
        let rows = best.len();
        let geometry = &self.layout.geometry;
        let actions = &mut self.actions;
        for plane in [
            &mut actions.legal,
            &mut actions.best_open,
            &mut actions.blocking,
            &mut actions.are_best,
            &mut actions.keep,
            &mut actions.win,
            &mut actions.draw,
        ] {
            plane[..rows].fill(0);
        }
        actions.worst[..rows].fill(u8::MAX);
        actions.sum[..rows].fill(0);
        let empty = geometry.all & !division.taken;
        let opp_holds = division.part.block_bytes > 0;
        let cells = bits(empty).enumerate();
        for (place, cell) in cells.filter(|(place, _)| places >> place & 1 == 1) {
            for piece in Piece::ALL {
                let opening = self.variant.opening();
                if division.taken == 0 && !opening.admits(piece) {
                    continue;
                }
                let values = &self.filler.values.plane(4 * place + piece.index())[..rows];
                let left = empty & !(1 << cell);
                let blocks = opp_holds && geometry.reach[piece.index() * 16 + cell] & left == 0;
                actions.add(values, best, blocks);
            }
        }
    }

    /// Adds one position.
    #[inline]
    fn add(&mut self, row: usize, state: State, best: u8, reached: u16, tally: &mut Tally) {
        let actions = &self.actions;
        let must_pass = state.allowed == 0;
        let legal = actions.legal[row].max(1);
        let swing = if must_pass {
            0
        } else {
            // In a file that was sealed after a change, the best may be worse.
            best.saturating_sub(1).saturating_sub(actions.worst[row])
        };
        let (keep, are_best) = (actions.keep[row].max(1), actions.are_best[row].max(1));
        let can_block = actions.blocking[row] > 0;
        let decides = can_block && best >= DRAW && outcome(actions.best_open[row]) < outcome(best);
        let saves = legal > 1 && keep == 1 && best >= DRAW;
        let share = 1.0 / f64::from(legal);
        let sum = if must_pass {
            best.into()
        } else {
            actions.sum[row]
        };
        let regret = f64::from(best) - f64::from(sum) * share;
        let (win, draw) = (actions.win[row], actions.draw[row]);
        let outcomes = f64::from(win) - f64::from(actions.legal[row] - win - draw);
        let outcome_regret = if must_pass {
            0.0
        } else {
            f64::from(outcome(best)) - outcomes * share
        };
        for passes in bits(reached) {
            let facts = &mut tally.plies[passes].facts;
            facts.passes += u64::from(must_pass);
            facts.can_block += u64::from(can_block);
            facts.block_decides += u64::from(decides);
            facts.single_saving += u64::from(saves);
            facts.actions += u64::from(legal);
            if let Some(count) = facts.swings.get_mut(usize::from(swing)) {
                *count += 1;
            }
            facts.best_share += f64::from(are_best) * share;
            facts.kept_share += f64::from(keep) * share;
            facts.regret += regret;
            facts.outcome_regret += outcome_regret;
            if saves && legal > facts.hardest.number {
                facts.hardest = CensusPosition::new(legal, state);
            }
            if swing > facts.widest.number {
                facts.widest = CensusPosition::new(swing, state);
            }
        }
        if legal == 1 {
            let turns = self.forced_turns(state);
            if tally.forced.len() <= turns {
                tally.forced.resize(turns + 1, 0);
            }
            tally.forced[turns] += 1;
            if turns > tally.most_forced.number.into() {
                tally.most_forced = CensusPosition::new(turns as u8, state);
            }
        }
    }

    /// How many turns in a row leave a single action, from a position on.
    fn forced_turns(&self, mut state: State) -> usize {
        let geometry = &self.layout.geometry;
        let mut turns = 0;
        loop {
            let taken = state.own | state.opp;
            let is_last = state.opp_hand() == 0;
            let (own, allowed, hands) = if state.allowed == 0 {
                turns += 1;
                (state.own, geometry.all & !taken, state.hands)
            } else {
                let hand = state.own_hand();
                let types = (hand | hand >> 1) & 0x55;
                if !state.allowed.is_power_of_two() || !types.is_power_of_two() {
                    return turns;
                }
                turns += 1;
                let piece = types.trailing_zeros() as usize / 2;
                let own = state.own | state.allowed;
                let cell = state.allowed.trailing_zeros() as usize;
                let empty = geometry.all & !(own | state.opp);
                let allowed = geometry.reach[piece * 16 + cell] & empty;
                (own, allowed, state.hands_without(piece))
            };
            let passed_on_full_board = state.allowed == 0 && taken == geometry.all;
            if is_last || passed_on_full_board {
                return turns;
            }
            state = state.turned(own, allowed, hands);
        }
    }

    /// Adds what it changes to hold another piece.
    fn exchange(&self, division: Division<'_>, reached: &[u16], best: &[u8], tally: &mut Tally) {
        let opp_hands = division.part.opp_hands;
        let hands = self.exchanges[division.own_count].iter();
        for (own_hand, others) in hands.enumerate() {
            let rows = own_hand * opp_hands..(own_hand + 1) * opp_hands;
            for &(given, got, other) in others {
                let with_other = &best[other * opp_hands..][..opp_hands];
                let exchange = &mut tally.exchanges[given][got];
                for ((&reached, &before), &after) in reached[rows.clone()]
                    .iter()
                    .zip(&best[rows.clone()])
                    .zip(with_other)
                {
                    let counts = reached != 0;
                    exchange.positions += u64::from(counts);
                    exchange.points += i64::from(counts) * (i64::from(after) - i64::from(before));
                }
            }
        }
    }
}

impl Actions {
    /// Adds the values of a type on a cell; 0 where the type is not held.
    fn add(&mut self, values: &[u8], best: &[u8], blocks: bool) {
        for (row, (&value, &best)) in values.iter().zip(best).enumerate() {
            let is_legal = u8::from(value != 0);
            self.legal[row] += is_legal;
            self.sum[row] += u16::from(value);
            self.worst[row] = self.worst[row].min(value.wrapping_sub(1));
            self.are_best[row] += u8::from(value == best);
            self.keep[row] += u8::from(value >= least_keeping(best));
            self.win[row] += u8::from(value > DRAW);
            self.draw[row] += u8::from(value == DRAW);
        }
        let rows = if blocks {
            for (blocking, &value) in self.blocking.iter_mut().zip(values) {
                *blocking += u8::from(value != 0);
            }
            return;
        } else {
            self.best_open.iter_mut()
        };
        for (most, &value) in rows.zip(values) {
            *most = (*most).max(value);
        }
    }
}

/// The least value with the outcome of this one.
#[inline]
fn least_keeping(best: u8) -> u8 {
    if best >= DRAW {
        DRAW + u8::from(best > DRAW)
    } else {
        1
    }
}

/// 1 for a win, 0 for a draw, -1 for a loss, as for a move that does not exist.
#[inline]
fn outcome(value: u8) -> i8 {
    i8::from(value > DRAW) - i8::from(value < DRAW)
}

/// For each number of pieces placed and hand, each way to hold another piece: the types given and got, and
/// the number of the hand.
fn exchanges(layout: &Layout) -> Vec<Vec<Vec<(usize, usize, usize)>>> {
    let full = layout.hands[0][0];
    let of_hand = |hand: u8| {
        let count = |hand: u8, piece: usize| hand >> (2 * piece) & 3;
        let pairs = (0..4).flat_map(|given| (0..4).map(move |got| (given, got)));
        let possible = pairs.filter(|&(given, got)| {
            given != got && count(hand, given) > 0 && count(hand, got) < count(full, got)
        });
        let exchanged = possible.map(|(given, got)| {
            let other = u32::from(hand) - (1 << (2 * given)) + (1 << (2 * got));
            (given, got, layout.hand_number(other))
        });
        exchanged.collect()
    };
    let hands = layout.hands.iter();
    hands
        .map(|hands| hands.iter().map(|&hand| of_hand(hand)).collect())
        .collect()
}

const _: () = assert!(DRAW as i32 + MAX_POINTS < 16, "values have four bits");
