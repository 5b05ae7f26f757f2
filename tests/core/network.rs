//! Networks: their files, the symmetries, what they choose.

use mijnlieff::FileError;
use mijnlieff::encode::{Layout, num_actions, observe, write_mask};
use mijnlieff::game::{Board, Cell, Move, Opening, Position, Symmetry, Variant};
use mijnlieff::policy::network::{
    Choice, ChoiceError, Evaluations, Network, NetworkError, Precision, SharedWeights,
};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::Limits;
use ndarray::Array2;

const CHANNELS: usize = 3;
const BLOCKS: usize = 2;
const HEADER: usize = 28;

fn variant(board: &str, copies: i64) -> Variant {
    Variant::new(Board::from_text(board).unwrap(), Opening::Anywhere, copies).unwrap()
}

fn variants() -> Vec<Variant> {
    vec![
        Variant::default(),
        variant("####\n####", 1),
        variant("##..\n##..\n..##\n..##", 3),
        variant(".#..\n.###\n###.\n..#.", 1),
        variant(".##\n.#.\n##.", 2),
        variant("###.\n#...", 1),
        variant("#", 2),
    ]
}

/// As many weights as the layers of a variant have, none of them 0.
fn numbers(variant: &Variant, scale: f32) -> Vec<f32> {
    let order = variant.board().symmetries().len();
    let cells = variant.board().num_cells();
    let inputs = 3 * cells + 8 + 4 * cells + 8 * cells;
    let hidden = BLOCKS * 2 * CHANNELS * (CHANNELS * order + 1);
    let count = CHANNELS * (inputs + 1) + hidden + (CHANNELS + 1) * (4 * cells + 3);
    let mut rng = SplitMix64::new(11);
    (0..count)
        .map(|_| (rng.unit() as f32 - 0.5) * scale)
        .collect()
}

fn network(variant: &Variant) -> Network {
    let numbers = numbers(variant, 0.8);
    Network::new(&SharedWeights::new(variant.clone(), CHANNELS, BLOCKS, numbers).unwrap())
}

/// Every position of a random game but the last.
fn game(variant: &Variant, seed: u64) -> Vec<Position> {
    let mut rng = SplitMix64::new(seed);
    let mut position = Position::new(variant);
    let mut positions = Vec::new();
    while !position.is_over(variant) {
        positions.push(position);
        let moves = position.legal_moves(variant);
        position = position.play_unchecked(variant, moves[rng.below(moves.len() as u64) as usize]);
    }
    positions
}

fn evaluate(network: &Network, positions: &[Position]) -> Evaluations {
    let variant = network.variant();
    let mut observations = Array2::<f32>::zeros((positions.len(), Layout::Flat.len(variant)));
    for (position, row) in positions.iter().zip(observations.outer_iter_mut()) {
        observe(variant, position, Layout::Flat, row.into_slice().unwrap());
    }
    let whole = network.evaluate(&observations, Precision::Float32, Limits::default());
    // The order of the numbers in memory does not matter.
    let turned = observations.t().as_standard_layout().into_owned();
    assert_eq!(
        network.evaluate(&turned.t(), Precision::Float32, Limits::default()),
        whole
    );
    whole.unwrap()
}

/// The position after the same game, turned.
fn turned(variant: &Variant, position: &Position, symmetry: &Symmetry) -> Position {
    let stones = variant.board().all().into_iter();
    let mut images = vec![None; variant.board().num_cells()];
    for cell in stones {
        images[symmetry.cell(cell).index()] = position.stone_at(cell);
    }
    let last = position.last_move().map(|mv| turned_move(mv, symmetry));
    Position::from_stones(variant, &images, last, position.ply()).unwrap()
}

fn turned_move(mv: Move, symmetry: &Symmetry) -> Move {
    match mv {
        Move::Pass => Move::Pass,
        Move::Place { piece, cell } => Move::Place {
            piece,
            cell: symmetry.cell(cell),
        },
    }
}

#[test]
fn turning_a_position_turns_the_logits_and_keeps_the_values() {
    for variant in variants() {
        let network = network(&variant);
        let cells = variant.board().num_cells();
        for position in game(&variant, 3) {
            let plain = evaluate(&network, &[position]);
            for symmetry in variant.board().symmetries() {
                let other = evaluate(&network, &[turned(&variant, &position, symmetry)]);
                let close = |a: f32, b: f32| (a - b).abs() < 1e-4;
                for ((_, action), &logit) in plain.logits.indexed_iter() {
                    let image = if action == 4 * cells {
                        action
                    } else {
                        let cell = symmetry.cell(Cell::new(action % cells)).index();
                        action / cells * cells + cell
                    };
                    assert!(close(logit, other.logits[[0, image]]), "action {action}");
                }
                assert!(close(plain.values[[0, 0]], other.values[[0, 0]]));
                assert!(close(plain.values[[0, 1]], other.values[[0, 1]]));
            }
            let spread = plain.logits.iter().map(|logit| logit.abs()).sum::<f32>();
            assert!(spread > 0.1, "a network that says nothing would pass");
        }
    }
}

#[test]
fn a_batch_is_its_positions_to_the_last_bit() {
    let variant = Variant::default();
    let network = network(&variant);
    let positions: Vec<Position> = (0..60).flat_map(|seed| game(&variant, seed)).collect();
    assert!(positions.len() > 600);
    let whole = evaluate(&network, &positions);
    assert_eq!(whole.logits.dim(), (positions.len(), 65));
    assert_eq!(whole.values.dim(), (positions.len(), 2));
    for (i, &position) in positions.iter().enumerate().step_by(7) {
        let alone = evaluate(&network, &[position]);
        assert_eq!(alone.logits.row(0), whole.logits.row(i));
        assert_eq!(alone.values.row(0), whole.values.row(i));
    }
}

#[test]
fn a_file_is_read_as_it_was_written() {
    for variant in variants() {
        let written = network(&variant);
        let read = Network::parse(written.file()).unwrap();
        assert_eq!(read, written);
        assert_eq!(read.variant(), &variant);
        assert_eq!(read.width(), CHANNELS * variant.board().symmetries().len());
        assert_eq!(read.num_blocks(), BLOCKS);
        let positions = game(&variant, 1);
        assert_eq!(evaluate(&read, &positions), evaluate(&written, &positions));
    }
}

#[test]
fn any_damage_is_noticed() {
    let file = network(&variant("##", 1)).file().to_vec();
    for length in 0..file.len() {
        let error = Network::parse(&file[..length]).unwrap_err();
        if length < 8 {
            assert!(matches!(
                error,
                NetworkError::File(FileError::Foreign { .. })
            ));
        } else {
            let needed = if length < HEADER { HEADER } else { file.len() } as u64;
            let NetworkError::File(FileError::Length {
                found, expected, ..
            }) = error
            else {
                panic!("{error}");
            };
            assert_eq!((found, expected), (length, needed));
        }
    }
    assert!(Network::parse(&[&file[..], &[0]].concat()).is_err());
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            let NetworkError::File(error) = Network::parse(&damaged).unwrap_err() else {
                panic!("byte {at} passed for content");
            };
            match at {
                0..8 => assert!(matches!(error, FileError::Foreign { .. })),
                8..12 => assert!(matches!(error, FileError::Version { .. })),
                12..20 => assert!(matches!(error, FileError::Length { .. })),
                _ => assert!(matches!(error, FileError::Checksum { .. })),
            }
        }
    }
}

/// FNV-1a, as the file's header needs it.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// A file whose header fits this content.
fn sealed(body: &[u8]) -> Vec<u8> {
    let mut file = b"MIJNNETW".to_vec();
    file.extend(1_u32.to_le_bytes());
    file.extend((body.len() as u64).to_le_bytes());
    file.extend(checksum(body).to_le_bytes());
    file.extend(body);
    file
}

fn body(variant: &str, fields: [u32; 3], numbers: &[f32]) -> Vec<u8> {
    let mut body = (variant.len() as u32).to_le_bytes().to_vec();
    body.extend(variant.as_bytes());
    body.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
    body.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    body
}

#[test]
fn content_that_makes_no_sense_is_refused_whatever_its_checksum() {
    let text = "anywhere 1\n##";
    let fields = [38, CHANNELS as u32, BLOCKS as u32];
    let weights = numbers(&variant("##", 1), 0.8);
    let parse = |body: &[u8]| Network::parse(&sealed(body));
    assert_eq!(
        parse(&body(text, fields, &weights)).unwrap(),
        network(&variant("##", 1))
    );
    let refused = |body: Vec<u8>| parse(&body).unwrap_err();
    for wrong in [
        "",
        "anywhere",
        "anywhere 1",
        "nowhere 1\n##",
        "anywhere 0\n##",
        "anywhere one\n##",
        "anywhere 1\n#?",
        // Each variant is written in one way, so that equal networks have equal files.
        "anywhere +1\n##",
        "anywhere 01\n##",
        "anywhere 1\n\n##",
        "anywhere 1\n##\n",
        "anywhere 1\n.##",
        "anywhere 1\n##\n..",
    ] {
        let error = refused(body(wrong, fields, &weights));
        assert!(matches!(error, NetworkError::Variant { .. }), "{error}");
    }
    assert_eq!(
        refused(body(text, [39, 3, 2], &weights)),
        NetworkError::Inputs {
            found: 39,
            expected: 38
        }
    );
    assert_eq!(
        refused(body(text, [38, 0, 2], &weights)),
        NetworkError::NoChannels
    );
    for fields in [[38, 4, 2], [38, 3, 1], [38, 1, 2]] {
        let error = refused(body(text, fields, &weights));
        assert!(matches!(
            error,
            NetworkError::Count {
                expected: Some(_),
                ..
            }
        ));
    }
    assert!(matches!(
        refused(body(text, [38, u32::MAX, u32::MAX], &weights)),
        NetworkError::Count { .. }
    ));
    for bad in [f32::NAN, f32::INFINITY] {
        let mut weights = weights.clone();
        weights[5] = bad;
        let error = refused(body(text, fields, &weights));
        assert_eq!(error, NetworkError::NotFinite { index: 5 });
    }
    let whole = body(text, fields, &weights);
    for length in 0..4 + text.len() + 12 {
        assert!(parse(&whole[..length]).is_err());
    }
    let at = whole.len() - 4;
    let error = refused(whole[..whole.len() - 1].to_vec());
    assert_eq!(error, NetworkError::Content { at });
}

fn choose(network: &Network, positions: &[Position], temperature: f64, first: u64) -> Vec<usize> {
    let choice = Choice {
        temperature,
        seed: 7,
        first,
    };
    let variant = network.variant();
    let chosen = network.choose(variant, positions, choice, 2, Limits::default());
    chosen.unwrap()
}

#[test]
fn the_legal_action_with_the_largest_logit_is_chosen() {
    for variant in variants() {
        let network = network(&variant);
        let positions = game(&variant, 5);
        let evaluated = evaluate(&network, &positions);
        let actions = num_actions(&variant);
        let mut mask = vec![0; actions];
        for (i, &action) in choose(&network, &positions, 0.0, 0).iter().enumerate() {
            let logits = evaluated.logits.row(i);
            write_mask(&variant, &positions[i], &mut mask);
            assert_eq!(mask[action], 1);
            assert!((0..actions).all(|other| mask[other] == 0 || logits[other] <= logits[action]));
        }
    }
}

#[test]
fn draws_follow_the_softmax_and_do_not_depend_on_batches() {
    let variant = Variant::default();
    let network = network(&variant);
    let position = game(&variant, 2)[9];
    let count = 20_000;
    let drawn = choose(&network, &vec![position; count], 0.5, 0);
    assert_eq!(choose(&network, &[position; 3], 0.5, 40), drawn[40..43]);
    let logits = evaluate(&network, &[position]).logits.row(0).to_owned();
    let mut mask = vec![0; 65];
    write_mask(&variant, &position, &mut mask);
    let weight = |action: usize| f64::from(mask[action]) * (f64::from(logits[action]) / 0.5).exp();
    let total: f64 = (0..65).map(weight).sum();
    for action in 0..65 {
        let expected = count as f64 * weight(action) / total;
        let found = drawn.iter().filter(|&&other| other == action).count() as f64;
        assert!(
            (found - expected).abs() <= 5.0 * expected.sqrt(),
            "action {action}: {found}, not {expected}"
        );
    }
}

#[test]
fn sums_that_overflow_are_an_error_and_no_choice() {
    let variant = Variant::default();
    let weights = SharedWeights::new(
        variant.clone(),
        CHANNELS,
        BLOCKS,
        numbers(&variant, f32::MAX),
    );
    let network = Network::new(&weights.unwrap());
    let choice = Choice {
        temperature: 0.0,
        seed: 0,
        first: 0,
    };
    let positions = [Position::new(&variant)];
    let chosen = network.choose(&variant, &positions, choice, 1, Limits::default());
    assert!(matches!(chosen, Err(ChoiceError::Logit { index: 0, .. })));
}
