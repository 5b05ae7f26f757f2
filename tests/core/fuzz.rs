//! The bodies of the fuzz targets on inputs that proptest makes up, so that every run of the tests
//! is a little fuzzing.

use proptest::collection::vec;
use proptest::prelude::*;

#[allow(unreachable_pub, reason = "the fuzz targets need them public")]
#[path = "../../fuzz/src/lib.rs"]
mod bodies;

macro_rules! run_bodies {
    ($($name:ident: $cases:literal inputs of up to $length:literal bytes,)*) => {$(
        proptest! {
            #![proptest_config(ProptestConfig {
                failure_persistence: None,
                ..ProptestConfig::with_cases($cases)
            })]

            #[test]
            fn $name(data in vec(any::<u8>(), 0..=$length)) {
                bodies::$name(&data);
            }
        }
    )*};
}

run_bodies! {
    board_text: 2_000 inputs of up to 60 bytes,
    board_blocks: 2_000 inputs of up to 40 bytes,
    legal_moves: 500 inputs of up to 150 bytes,
    pieces_and_points: 500 inputs of up to 150 bytes,
    symmetric_games: 1_000 inputs of up to 150 bytes,
    position_text: 2_000 inputs of up to 150 bytes,
    record_text: 2_000 inputs of up to 150 bytes,
    packed_word: 2_000 inputs of up to 60 bytes,
    state_words: 4_000 inputs of up to 150 bytes,
    book_file: 1_000 inputs of up to 60 bytes,
    network_file: 1_000 inputs of up to 60 bytes,
}
