//! Makes the book: the last level is searched, the others follow from it.

use std::collections::HashSet;

use super::super::moves::History;
use super::super::search::SolverSearch;
use super::super::tables::Tables;
use super::{Book, Key, format, key_of};
use crate::game::{Board, Position, Variant};
use crate::memory::{OutOfMemory, make_room};
use crate::search::{Halt, Limits};
use crate::small_board::{Geometry, SmallState, TWO_BIT_HAND};
use crate::threads::map_in_order;

/// Positions that a thread takes at a time; neighbors share much of their searches.
const CHUNK: usize = 256;

fn state_of((planes, hands): Key) -> SmallState<2> {
    let (a, b) = (planes as u16, (planes >> 16) as u16);
    SmallState {
        own: a & !b,
        opp: b & !a,
        allowed: a & b,
        hands,
    }
}

/// The positions after each placement, forced passes played, and whether the mover moves again.
fn children(geometry: &Geometry, key: Key) -> impl Iterator<Item = (Key, bool)> {
    let state = state_of(key);
    (0..64)
        .filter(move |code| state.allowed >> (code % 16) & 1 == 1 && state.holds(code / 16))
        .map(move |code| {
            let (child, again) = state.after(geometry, code);
            (key_of(geometry, child), again)
        })
}

/// Every canonical position with 1 to so many stones more than a position, by their number.
fn levels(
    geometry: &Geometry,
    start: SmallState<2>,
    stones: usize,
    limits: Limits<'_>,
) -> Result<Vec<Vec<Key>>, Halt> {
    let mut meter = limits.start();
    let mut levels = vec![vec![key_of(geometry, start)]];
    for stones in 0..stones {
        let mut next: Vec<Key> = Vec::new();
        for &key in &levels[stones] {
            meter.count()?;
            next.extend(children(geometry, key).map(|(child, _)| child));
        }
        next.sort_unstable();
        next.dedup();
        levels.push(next);
    }
    levels.remove(0);
    Ok(levels)
}

/// The file of the book, made by `num_threads` threads on a table of `table_bytes`.
///
/// Takes tens of minutes. `progress` is told how many positions of how many are done, now and then.
///
/// # Errors
///
/// When a limit is reached, or memory does not suffice for the table.
pub fn make_book(
    num_threads: usize,
    table_bytes: usize,
    limits: Limits<'_>,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Vec<u8>, Halt> {
    let geometry = Geometry::new(&Board::default())?;
    let start = SmallState::<2> {
        allowed: geometry.all,
        ..SmallState::new(&Position::new(&Variant::default()))
    };
    let levels = levels(&geometry, start, Book::STONES, limits)?;
    solve_levels(
        &geometry,
        &levels,
        num_threads,
        table_bytes,
        limits,
        progress,
    )
}

/// The file of all positions of `levels`, in which each leads to those of the next, see [`make_book`].
fn solve_levels(
    geometry: &Geometry,
    levels: &[Vec<Key>],
    num_threads: usize,
    table_bytes: usize,
    limits: Limits<'_>,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Vec<u8>, Halt> {
    let (last, earlier) = levels.split_last().expect("there is a level");
    let tables = Tables::new(table_bytes, SmallState::<2>::KEY_BITS)?;
    // A thread's search, and the margin found last, which is a good guess for the next.
    let start = || {
        let search = SolverSearch::<2>::new(geometry, &tables, History::NONE, limits);
        (search, 0)
    };
    let chunks = last.chunks(CHUNK).enumerate();
    let found = map_in_order(
        chunks,
        num_threads,
        start,
        |(search, guess), (number, keys)| {
            progress(number * CHUNK, last.len());
            let margins = keys.iter().map(|&key| {
                *guess = search.margin(state_of(key), *guess)?;
                Ok(*guess)
            });
            margins.collect::<Result<Vec<i32>, Halt>>()
        },
    )?;
    let mut margins = found.concat();
    let mut positions: Vec<(Key, i32)> =
        last.iter().copied().zip(margins.iter().copied()).collect();
    let mut after = last;
    for level in earlier.iter().rev() {
        let value = |(child, again): (Key, bool)| {
            let margin = margins[after.binary_search(&child).expect("every child is listed")];
            if again { margin } else { -margin }
        };
        margins = level
            .iter()
            .map(|&key| {
                children(geometry, key)
                    .map(value)
                    .max()
                    .expect("a cell is allowed")
            })
            .collect();
        positions.extend(level.iter().copied().zip(margins.iter().copied()));
        after = level;
    }
    let positions = positions
        .into_iter()
        .map(|((planes, hands), margin)| (planes, hands, margin));
    Ok(format::write(positions))
}

/// How many positions, up to symmetry, a variant has after 0, 1, ... `plies` plies.
///
/// Finished games count, and differ from games that are not over. The board must have at most 16
/// cells, and the variant at most 3 copies.
///
/// # Errors
///
/// When a limit is reached, or memory does not suffice.
///
/// # Panics
///
/// If the board is larger or the copies more.
pub fn canonical_counts(
    variant: &Variant,
    plies: usize,
    limits: Limits<'_>,
) -> Result<Vec<usize>, Halt> {
    const COUNTING: &str = "the positions of a level";
    assert!(variant.copies() <= TWO_BIT_HAND);
    let geometry = Geometry::new(variant.board())?;
    let mut level = vec![Position::new(variant)];
    let mut counts = vec![level.len()];
    let mut meter = limits.start();
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for position in &level {
            meter.count()?;
            for mv in position.legal_moves(variant) {
                let child = position.play_unchecked(variant, mv);
                // A pass that ends the game on a full board cannot be told from a placement that
                // leaves no cell: the former is over.
                let key = (
                    key_of(&geometry, SmallState::new(&child)),
                    child.is_over(variant),
                );
                let wanted = OutOfMemory::of::<(Key, bool)>(COUNTING, 2 * seen.len());
                seen.try_reserve(1).map_err(|_| wanted)?;
                make_room(&mut next, COUNTING, 1)?;
                if seen.insert(key) {
                    next.push(child);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        counts.push(next.len());
        level = next;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    use crate::game::Move;
    use crate::random::{Draw, SplitMix64};
    use crate::search::minimax;

    /// The position after so many stones of a random game, and after a forced pass if there is one.
    fn random_position(variant: &Variant, stones: usize, rng: &mut SplitMix64) -> Position {
        let mut position = Position::new(variant);
        while position.occupied().len() < stones || position.must_pass(variant) {
            let moves = position.legal_moves(variant);
            let mv = moves[rng.below(moves.len() as u64) as usize];
            position = position.play_unchecked(variant, mv);
        }
        position
    }

    /// Adds the margins of the positions with up to so many stones more in which one can be placed.
    fn add_margins(
        variant: &Variant,
        position: &Position,
        stones: usize,
        margins: &mut Vec<(SmallState<2>, i32)>,
    ) {
        for mv in position.legal_moves(variant) {
            let mut child = position.play_unchecked(variant, mv);
            if child.must_pass(variant) {
                child = child.play_unchecked(variant, Move::Pass);
            }
            margins.push((SmallState::new(&child), minimax(variant, &child, 64)));
            if stones > 1 {
                add_margins(variant, &child, stones - 1, margins);
            }
        }
    }

    #[test]
    fn the_margins_of_levels_are_those_of_plain_minimax() {
        let geometry = Geometry::new(&Board::default()).unwrap();
        let variant = Variant::default();
        let mut rng = SplitMix64::new(1);
        for _ in 0..4 {
            let start = random_position(&variant, 11, &mut rng);
            let limits = Limits::default();
            let levels = levels(&geometry, SmallState::new(&start), 2, limits).unwrap();
            let file = solve_levels(&geometry, &levels, 1, 1 << 16, limits, |_, _| ()).unwrap();
            let (groups, entries, len) = format::read(&file).unwrap();
            assert_eq!(len, levels[0].len() + levels[1].len());
            let mut margins = Vec::new();
            add_margins(&variant, &start, 2, &mut margins);
            let mut seen = HashSet::new();
            for (state, margin) in margins {
                let (planes, hands) = key_of(&geometry, state);
                let place = groups.binary_search_by_key(&planes, |group| group.planes);
                let group = groups[place.expect("every position is in the file")];
                let found = format::find(&entries[group.start as usize..], group.len, hands);
                assert_eq!(found, Some(margin), "{state:?}");
                seen.insert((planes, hands));
            }
            assert_eq!(seen.len(), len, "the file has other positions too");
        }
    }

    #[test]
    fn making_a_book_can_be_stopped() {
        let stop = AtomicBool::new(true);
        let stopped = make_book(1, 1 << 16, Limits::stopped_by(&stop), |_, _| ());
        assert_eq!(stopped, Err(Halt::Stopped));
    }
}
