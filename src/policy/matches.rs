//! Matches between built-in players: random openings, each played from both seats.

use rand::Rng;
use thiserror::Error;

use super::Policy;
use crate::game::{Player, Position, Variant};
use crate::random::{Draw, SplitMix64};
use crate::search::{Halt, Limits, MoveSet};
use crate::threads::map_in_order;

/// Attempts before giving up on finding an opening.
const MAX_TRIES: usize = 1000;

/// Separate streams of the seed of a pair: its opening, and each player in each of its two games.
const OPENING_STREAM: u64 = 0;
const PLAYER_STREAMS: u64 = 1;

/// The data that all games of a match share.
#[derive(Clone, Debug)]
pub struct Match<'a> {
    /// The board, opening rule and pieces.
    pub variant: &'a Variant,
    /// The two players; the margins are those of the first.
    pub policies: [Policy; 2],
    /// Numbers that tell two players of the same kind apart, for instance their seeds.
    pub policy_seeds: [u64; 2],
    /// Pair `i` of the match uses `seed + i`.
    pub seed: u64,
}

/// The margins of the first player in the two games of one opening, in points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairMargins {
    /// With the first player as Light.
    pub as_light: i32,
    /// With the first player as Dark.
    pub as_dark: i32,
}

/// An opening so long that no game outlasts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no game was found that goes on after {plies} random opening plies; ask for fewer")]
pub struct OpeningError {
    /// The plies asked for.
    pub plies: usize,
}

/// The opening of the pair with this seed: `plies` uniformly random moves, after which the game is
/// not over.
///
/// Where the game ends early, the whole opening is drawn again.
///
/// # Errors
///
/// When a thousand draws in a row ended early.
pub fn opening(variant: &Variant, plies: usize, seed: u64) -> Result<Position, OpeningError> {
    draw_opening(
        variant,
        plies,
        &mut SplitMix64::stream(seed, OPENING_STREAM),
    )
}

/// The same as [`opening`] from any generator.
///
/// # Errors
///
/// When a thousand draws in a row ended early.
pub fn draw_opening(
    variant: &Variant,
    plies: usize,
    rng: &mut (impl Rng + ?Sized),
) -> Result<Position, OpeningError> {
    if plies < variant.max_game_length() {
        for _ in 0..MAX_TRIES {
            let mut position = Position::new(variant);
            for _ in 0..plies {
                if position.is_over(variant) {
                    break;
                }
                let moves = MoveSet::legal(variant, &position);
                let number = rng.below(moves.count() as u64) as usize;
                position = position.play_unchecked(variant, moves.nth(number));
            }
            if !position.is_over(variant) {
                return Ok(position);
            }
        }
    }
    Err(OpeningError { plies })
}

impl Match<'_> {
    /// Plays every opening twice, with the seats exchanged; opening `i` is pair `first + i` of the
    /// match.
    ///
    /// The results depend on the match, the openings and their numbers, not on `num_threads`.
    ///
    /// # Errors
    ///
    /// When a limit is reached, which stands for each move of each game by itself, or memory does not
    /// suffice.
    pub fn play(
        &self,
        openings: &[Position],
        first: u64,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<PairMargins>, Halt> {
        let play = |(): &mut (), (index, start)| {
            // Some players do not search, and so do not check the flag themselves.
            limits.check_stop()?;
            self.play_pair(start, first.wrapping_add(index as u64), limits)
        };
        map_in_order(openings.iter().enumerate(), num_threads, || (), play)
    }

    fn play_pair(
        &self,
        start: &Position,
        number: u64,
        limits: Limits<'_>,
    ) -> Result<PairMargins, Halt> {
        Ok(PairMargins {
            as_light: self.play_game(start, number, Player::Light, limits)?,
            as_dark: self.play_game(start, number, Player::Dark, limits)?,
        })
    }

    /// The margin of the first player, who has this seat.
    fn play_game(
        &self,
        start: &Position,
        number: u64,
        seat: Player,
        limits: Limits<'_>,
    ) -> Result<i32, Halt> {
        let variant = self.variant;
        let mut streams = [0, 1].map(|player: usize| {
            let stream = PLAYER_STREAMS + (2 * seat.index() + player) as u64;
            let seed = SplitMix64::stream(self.seed.wrapping_add(number), stream).next_u64();
            SplitMix64::stream(seed, self.policy_seeds[player])
        });
        let mut position = *start;
        while !position.is_over(variant) {
            let player = usize::from(position.side_to_move() != seat);
            let rng = &mut streams[player];
            let mv = self.policies[player].choose_within(variant, &position, rng, limits)?;
            position = position.play_unchecked(variant, mv);
        }
        Ok(position.margin_of(variant, seat))
    }
}
