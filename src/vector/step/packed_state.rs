//! States as words (see [`crate::encode::PositionWords`]) to and from packed games.

use super::lookup::HELD;
use super::packed_game::{
    CELLS, LAST_MASK, LAST_PASSED, LAST_SHIFT, LAST_START, OVER_SHIFT, PLACEABLE_SHIFT, PLY_SHIFT,
    PackedGame, Tables,
};
use super::state::GameState;
use crate::encode::words::{
    LAST_CELL, LAST_NONE, LAST_PASS, decode_plies, decode_sets, encode_small,
};
use crate::game::{Opening, Player};

impl PackedGame {
    /// The game in a word. None if a state of that word does not exist or is lost by an illegal
    /// action, and [`crate::encode::PositionWords::read`] tells which.
    ///
    /// What makes a word a state is written in [`crate::game::Position::from_stones`]; here are the
    /// same conditions on bits.
    #[inline(always)]
    pub(super) fn read(tables: &Tables, word: u64) -> Option<Self> {
        let sets = decode_sets(word)?;
        let (ply, last) = decode_plies(word);
        if word >> 63 != 0 || ply == 0 {
            return (word == 0).then_some(tables.start);
        }
        let lane = |number: u32| sets >> (16 * number) & 0xffff;
        let [light, dark, low, high] = [lane(0), lane(1), lane(2), lane(3)];
        let variant = &tables.variant;
        let copies = variant.copies();
        let [light_hand, light_stones] = hand(light, low, high, copies);
        let [dark_hand, dark_stones] = hand(dark, low, high, copies);
        let pieces = 4 * u64::from(copies);
        let mover_is_light = ply & 1 == 1;
        let (turns, stones, mover) = if mover_is_light {
            (ply.div_ceil(2), light_stones, light)
        } else {
            (ply / 2, dark_stones, dark)
        };
        let placements = light_stones + dark_stones;
        let passed = last == LAST_PASS;
        let cell = last.wrapping_sub(LAST_CELL);
        let placed = cell < CELLS as u64 && mover >> (cell & 15) & 1 == 1;
        let first = match variant.opening() {
            Opening::CornerStraight => light & !(low | high),
            _ => light,
        };
        let fits = light_hand.max(dark_hand) <= 0xff
            && light_stones <= ply.div_ceil(2)
            && dark_stones <= ply / 2
            && ply < 2 * placements + u64::from(passed)
            && if passed {
                stones < turns.min(pieces)
            } else {
                placed
            }
            && first & variant.opening_cells().bits() != 0;
        if !fits {
            return None;
        }
        let action = if passed {
            Self::PASS
        } else {
            let bit = |set: u64| (set >> cell & 1) as usize;
            (bit(low) + 2 * bit(high)) * CELLS + cell as usize
        };
        let allowed = tables.effects[action].reach & !(light | dark);
        // The other player is to move.
        let (own, opposing, hands) = if mover_is_light {
            (dark, light, dark_hand | light_hand << 8)
        } else {
            (light, dark, light_hand | dark_hand << 8)
        };
        let held = u64::from(HELD[usize::from(hands as u8)]);
        let over = u64::from(held == 0 || passed && allowed == 0);
        let allowed = allowed & over.wrapping_sub(1);
        let turn = if passed { LAST_PASSED } else { cell };
        Some(Self {
            view: own | opposing << 16 | allowed << 32 | hands << 48,
            rest: low
                | high << 16
                | ply << PLY_SHIFT
                | turn << LAST_SHIFT
                | held << PLACEABLE_SHIFT
                | over << OVER_SHIFT,
        })
    }

    /// The word of a game, and whether an illegal action has ended it.
    #[inline(always)]
    pub(super) fn word(self, illegal: bool) -> u64 {
        let (own, opposing) = (self.view & 0xffff, self.view >> 16 & 0xffff);
        let [light, dark] = if self.to_play() == Player::Light.index() {
            [own, opposing]
        } else {
            [opposing, own]
        };
        let last = match (self.rest & LAST_MASK) >> LAST_SHIFT {
            LAST_START => LAST_NONE,
            LAST_PASSED => LAST_PASS,
            cell => LAST_CELL + cell,
        };
        let sets = [light, dark, self.rest & 0xffff, self.rest >> 16 & 0xffff];
        encode_small(sets, self.rest >> PLY_SHIFT & 0xff, last, illegal)
    }
}

/// What a player holds, in the bits of a view, and how many stones the player has. A hand that would
/// need more pieces than there are exceeds a byte.
#[inline(always)]
fn hand(own: u64, low: u64, high: u64, copies: u8) -> [u64; 2] {
    let (even, odd) = (own & !low, own & low);
    let types = (even & !high) | (odd & !high) << 16 | (even & high) << 32 | (odd & high) << 48;
    // How many bits each lane has; the processor counts those of a whole word only.
    let pairs = types - (types >> 1 & lanes(0x5555));
    let fours = (pairs & lanes(0x3333)) + (pairs >> 2 & lanes(0x3333));
    let bytes = (fours + (fours >> 4)) & lanes(0x0f0f);
    let used = (bytes + (bytes >> 8)) & lanes(0x1f);
    // The highest bit of a lane is lent, and gone where the lane would be negative.
    let left = lanes(0x8000 + u64::from(copies)) - used;
    let short = !left & lanes(0x8000);
    let left = left & lanes(3);
    let counts = (left | left >> 14 | left >> 28 | left >> 42) & 0xff;
    [counts | short, lanes(used) >> 48]
}

/// A number in each of four lanes; the highest lane is the sum of the lanes of the number.
#[inline(always)]
const fn lanes(number: u64) -> u64 {
    number.wrapping_mul(0x0001_0001_0001_0001)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::encode::{PositionWords, VariantSet};
    use crate::game::{Board, Position, Variant};
    use crate::random::{Draw, SplitMix64};

    /// The game in a word, by way of its position.
    fn read_slowly(tables: &Tables, word: u64) -> Option<PackedGame> {
        let state = PositionWords::read(&tables.variant, &[word]).ok()?;
        let game = PackedGame::from_position(tables, 0, &state.position);
        (!state.illegal).then_some(game)
    }

    #[test]
    fn words_are_read_as_states_are() {
        let row = Arc::new(Board::from_text("########\n########").unwrap());
        let mut rng = SplitMix64::stream(1, 0);
        let (mut accepted, mut refused) = (0, 0);
        for board in [Arc::default(), row] {
            for (opening, copies) in Opening::ALL.into_iter().zip([2, 1, 3, 2]) {
                let variant = Variant::new(Arc::clone(&board), opening, copies).unwrap();
                let variant = Arc::new(variant);
                let tables = Arc::new(VariantSet::one(variant.clone()));
                let tables = PackedGame::rules(&tables).unwrap();
                for _ in 0..200 {
                    let mut position = Position::new(&variant);
                    loop {
                        let mut words = [0];
                        let illegal = false;
                        PositionWords { position, illegal }.write(&variant, &mut words);
                        let word = words[0];
                        let game = PackedGame::read(&tables, word).unwrap();
                        assert_eq!(game, PackedGame::from_position(&tables, 0, &position));
                        assert_eq!(game.word(false), word);
                        for _ in 0..8 {
                            let bit = |rng: &mut SplitMix64| 1 << rng.below(64);
                            let mut other = word ^ bit(&mut rng);
                            if rng.below(2) == 0 {
                                other ^= bit(&mut rng);
                            }
                            // A change of the number of plies alone is often still a state.
                            other = other.wrapping_add(rng.below(4) << 52);
                            let game = PackedGame::read(&tables, other);
                            assert_eq!(game, read_slowly(&tables, other), "{other:#x}");
                            accepted += u32::from(game.is_some());
                            refused += u32::from(game.is_none());
                        }
                        let moves = position.legal_moves(&variant);
                        if moves.is_empty() {
                            break;
                        }
                        let mv = moves[rng.below(moves.len() as u64) as usize];
                        position = position.play_unchecked(&variant, mv);
                    }
                }
            }
        }
        assert!(accepted > 1000 && refused > 1000, "{accepted} {refused}");
    }
}
