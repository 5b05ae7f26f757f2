//! Packed words.

use mijnlieff::encode::{Layout, PackError, observe, pack};
use mijnlieff::game::{Position, Variant};

use super::input::{Input, LaidStones};

/// Checks that the word describes the position, so that different positions have different words.
fn check_word(variant: &Variant, position: &Position, flat: &mut [u8]) {
    let word = pack(variant, position);
    let player = position.side_to_move();
    let opponent = player.opponent();
    let cells = |shift: u32| word >> shift & 0xffff;
    assert_eq!(cells(0), position.stones(player).bits());
    assert_eq!(cells(16), position.stones(opponent).bits());
    let allowed = if position.is_over(variant) {
        0
    } else {
        position.allowed().bits()
    };
    assert_eq!(cells(32), allowed);
    for (shift, owner) in [(48, player), (56, opponent)] {
        let counts = [0, 2, 4, 6].map(|type_shift| (word >> (shift + type_shift) & 3) as u8);
        assert_eq!(counts, position.hand(owner).counts());
    }
    observe(variant, position, Layout::Flat, flat);
    let num_cells = variant.board().num_cells();
    for (index, &value) in flat.iter().enumerate() {
        let expected = if index < 3 * num_cells {
            word >> (index / num_cells * 16 + index % num_cells) & 1
        } else {
            word >> (48 + 2 * (index - 3 * num_cells)) & 3
        };
        assert_eq!(u64::from(value), expected, "number {index}");
    }
}

/// A packed word can be unpacked: stones, allowed cells and hands stand where they should, for the
/// positions of a game and for stones laid on the board. Variants that do not fit are refused.
pub fn packed_word(data: &[u8]) {
    let mut input = Input::new(data);
    let variant = input.listed_variant();
    let num_cells = variant.board().num_cells();
    let fits = num_cells <= 16 && variant.copies() <= 3;
    assert_eq!(PackError::check(&variant).is_ok(), fits);
    if !fits {
        return;
    }
    let mut flat = vec![0; Layout::Flat.len(&variant)];
    if input.below(2) == 0 {
        let mut position = Position::new(&variant);
        check_word(&variant, &position, &mut flat);
        while !input.is_empty() {
            let Some(mv) = input.legal_move(&variant, &position) else {
                break;
            };
            position = position.play_unchecked(&variant, mv);
            check_word(&variant, &position, &mut flat);
        }
        return;
    }
    let LaidStones { stones, last, ply } = input.laid_stones(&variant);
    if let Ok(position) = Position::from_stones(&variant, &stones, last, ply) {
        check_word(&variant, &position, &mut flat);
    }
}
