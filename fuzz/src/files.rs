//! Files of books and networks: damaged, sealed again with a right checksum, or arbitrary.

use std::collections::BTreeMap;

use mijnlieff::encode::{Canvas, Layout, num_actions, observe};
use mijnlieff::game::{Board, CellSet, Opening, Player, Position, Symmetry, Variant};
use mijnlieff::network::{Architecture, Network, NetworkError, Scope};
use mijnlieff::search::Limits;
use mijnlieff::search::solver::{Book, BookError};
use ndarray::Array2;

use super::input::Input;

pub(crate) const HEADER: usize = 28;
/// The letters and the version that a file starts with.
pub(crate) type Start = (&'static [u8; 8], u32);
const BOOK: Start = (b"MIJNBOOK", 1);
pub(crate) const NETWORK_LETTERS: &[u8; 8] = b"MIJNNETW";

/// FNV-1a, 64 bits.
pub(crate) fn checksum(content: &[u8]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for &byte in content {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(0x0100_0000_01B3);
    }
    hash
}

pub(crate) fn sealed((letters, version): Start, content: &[u8]) -> Vec<u8> {
    let mut file = letters.to_vec();
    file.extend(version.to_le_bytes());
    file.extend((content.len() as u64).to_le_bytes());
    file.extend(checksum(content).to_le_bytes());
    file.extend(content);
    file
}

/// The content of a file with the right header.
pub(crate) fn opened(start: Start, file: &[u8]) -> Option<&[u8]> {
    let content = file.get(HEADER..)?;
    (sealed(start, content) == file).then_some(content)
}

/// The bytes after some changes, possibly none.
pub(crate) fn edited(input: &mut Input<'_>, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..input.below(4) {
        let at = input.below(bytes.len() + 1);
        let end = bytes.len().min(at + input.below(6));
        match input.below(4) {
            0 => bytes.truncate(at),
            1 => {
                bytes.drain(at..end);
            }
            2 => bytes.insert(at, input.byte()),
            _ => bytes[at..end]
                .iter_mut()
                .for_each(|byte| *byte = input.byte()),
        }
    }
    bytes
}

/// A file: arbitrary bytes with or without a header, the content as it is or edited in a right
/// header, or a right file that was edited afterwards.
fn file(
    input: &mut Input<'_>,
    start: Start,
    content: impl FnOnce(&mut Input<'_>) -> Vec<u8>,
) -> Vec<u8> {
    match input.below(8) {
        0 => input.rest().to_vec(),
        1 => sealed(start, input.rest()),
        2 => {
            let content = content(input);
            edited(input, sealed(start, &content))
        }
        _ => {
            let content = content(input);
            sealed(start, &edited(input, content))
        }
    }
}

/// Margins by planes and by the rank of the hands.
type Entries = BTreeMap<u32, BTreeMap<u32, i32>>;
/// Ranks of pairs of hands with at most two pieces of each type.
const RANKS: u32 = 6561;

fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn book_content(entries: &Entries) -> Vec<u8> {
    let mut content = Vec::new();
    let mut planes_before = 0;
    for (&planes, group) in entries {
        push(&mut content, planes - planes_before);
        push(&mut content, group.len() as u32);
        planes_before = planes;
        let mut rank_before = 0;
        for (&rank, margin) in group {
            push(
                &mut content,
                (rank - rank_before) * 16 + (margin + 8) as u32,
            );
            rank_before = rank;
        }
    }
    content
}

/// A number of seven bits a byte, lowest first.
fn pull(bytes: &mut impl Iterator<Item = u8>) -> Option<u32> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let byte = bytes.next()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return u32::try_from(number).ok();
        }
    }
    None
}

/// The entries of a book's content; `None` if it is not written exactly as the format says.
fn book_entries(content: &[u8]) -> Option<Entries> {
    let mut bytes = content.iter().copied().peekable();
    let mut entries = Entries::new();
    let mut planes = 0_u32;
    while bytes.peek().is_some() {
        planes = planes.checked_add(pull(&mut bytes)?)?;
        let group = entries.entry(planes).or_default();
        let mut rank = 0_u32;
        for _ in 0..pull(&mut bytes)? {
            let entry = pull(&mut bytes)?;
            rank = rank.checked_add(entry / 16).filter(|&rank| rank < RANKS)?;
            group.insert(rank, (entry % 16) as i32 - 8);
        }
    }
    let no_empty_group = entries.values().all(|group| !group.is_empty());
    (no_empty_group && book_content(&entries) == content).then_some(entries)
}

/// The planes and the rank under which a book lists a position.
fn book_key(variant: &Variant, position: &Position) -> (u32, u32) {
    let (own, opponent) = (position.side_to_move(), position.side_to_move().opponent());
    let planes = |symmetry: &Symmetry| {
        let plane = |player: Player| {
            let cells: CellSet = position.stones(player) | position.allowed();
            symmetry.cells(cells).bits() as u32
        };
        (plane(own), plane(opponent))
    };
    let images = variant.board().symmetries().iter().map(planes);
    let (a, b) = images.min().expect("the identity is a symmetry");
    let counts = [own, opponent].map(|player| position.hand(player).counts());
    let rank = counts
        .iter()
        .flatten()
        .fold(0, |rank, &count| rank * 3 + u32::from(count));
    (a | b << 16, rank)
}

/// A book is read if it is written exactly as the format says, and then it answers with its entries.
/// Anything else is refused.
pub fn book_file(data: &[u8]) {
    let mut input = Input::new(data);
    let variant = Variant::default();
    let mut position = Position::new(&variant);
    for _ in 0..input.below(9) {
        if let Some(mv) = input.legal_move(&variant, &position) {
            position = position.play_unchecked(&variant, mv);
        }
    }
    let key = book_key(&variant, &position);
    let file = file(&mut input, BOOK, |input| {
        let mut entries = Entries::new();
        for _ in 0..input.below(4) {
            let planes = input.one_of(&[key.0, key.0 ^ 1, 0, u32::MAX]);
            let group = entries.entry(planes).or_default();
            for _ in 0..=input.below(20) {
                let rank = match input.byte() {
                    0..64 => key.1,
                    64..128 => RANKS - 1,
                    byte => (u32::from(byte) * 193) % RANKS,
                };
                group.insert(rank, input.below(16) as i32 - 8);
            }
        }
        book_content(&entries)
    });
    let expected = opened(BOOK, &file).and_then(book_entries);
    match (Book::parse(&file), expected) {
        (Ok(book), Some(entries)) => {
            assert_eq!(
                book.num_positions(),
                entries.values().map(BTreeMap::len).sum::<usize>()
            );
            let listed = (1..=Book::STONES).contains(&position.occupied().len());
            let margin = entries.get(&key.0).and_then(|group| group.get(&key.1));
            assert_eq!(book.margin(&position), margin.copied().filter(|_| listed));
        }
        (Err(error), None) => {
            assert!(!error.to_string().is_empty());
            if opened(BOOK, &file).is_some() {
                assert!(matches!(error, BookError::Content { at } if at < file.len() - HEADER));
            }
        }
        (found, expected) => panic!("{file:?} is {found:?}, not {expected:?}"),
    }
}

const VARIANT_TOKENS: [&str; 10] = ["#", ".", "\n", "\r", " ", "+", "0", "-", "corner", "é"];

/// How a file of a network starts; `half` says that its weights have 16 bits.
fn start_of(scope: &Scope, half: bool) -> Start {
    let version = match scope {
        Scope::Variant(_) => 2,
        Scope::Canvas { .. } => 3,
    };
    (NETWORK_LETTERS, version + 2 * u32::from(half))
}

/// The number of 16 bits, as IEEE 754 says.
fn half_number(bits: u16) -> f32 {
    let (exponent, digits) = (i32::from(bits >> 10 & 0x1F), f32::from(bits & 0x3FF));
    let magnitude = match exponent {
        0 => digits * 2_f32.powi(-24),
        0x1F if digits == 0.0 => f32::INFINITY,
        0x1F => f32::NAN,
        _ => (1024.0 + digits) * 2_f32.powi(exponent - 25),
    };
    if bits >> 15 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// The weights in the bytes of a file.
fn numbers_of(bytes: &[u8], half: bool) -> Vec<f32> {
    if half {
        let (numbers, rest) = bytes.as_chunks::<2>();
        assert!(rest.is_empty());
        let read = |&bytes: &[u8; 2]| half_number(u16::from_le_bytes(bytes));
        numbers.iter().map(read).collect()
    } else {
        let (numbers, rest) = bytes.as_chunks::<4>();
        assert!(rest.is_empty());
        let read = |&bytes: &[u8; 4]| f32::from_le_bytes(bytes);
        numbers.iter().map(read).collect()
    }
}

fn text_of(scope: &Scope) -> String {
    match scope {
        Scope::Variant(variant) => {
            let (opening, copies) = (variant.opening().name(), variant.copies());
            format!("{opening} {copies}\n{}", variant.board().to_text())
        }
        Scope::Canvas { canvas, copies } => {
            format!("{} {} {copies}", canvas.height(), canvas.width())
        }
    }
}

/// The scope of a variant alone, or of all boards that fit around its own.
fn scope_of(variant: &Variant, on_canvas: bool) -> Scope {
    if on_canvas {
        let canvas = Canvas::around([variant]).expect("one variant");
        let copies = variant.copies();
        Scope::Canvas { canvas, copies }
    } else {
        Scope::Variant(variant.clone())
    }
}

/// How many numbers an evaluation reads for each position.
fn num_inputs(scope: &Scope) -> usize {
    let cells = match scope {
        Scope::Variant(variant) => variant.board().num_cells(),
        Scope::Canvas { canvas, .. } => canvas.area(),
    };
    15 * cells + 10
}

/// The content of the file of a network, without its weights; `text` says the scope.
fn network_content(text: &str, scope: &Scope, architecture: Architecture) -> Vec<u8> {
    let mut content = Vec::new();
    for text in [text, "cells"] {
        content.extend((text.len() as u32).to_le_bytes());
        content.extend(text.as_bytes());
    }
    let Architecture {
        units,
        blocks,
        heads,
    } = architecture;
    for number in [num_inputs(scope), units, blocks, heads] {
        content.extend((number as u32).to_le_bytes());
    }
    content
}

pub(crate) fn num_weights(scope: &Scope, architecture: Architecture) -> usize {
    let Architecture {
        units,
        blocks,
        heads,
    } = architecture;
    let canvas = scope.canvas();
    let offsets = 2 * (2 * canvas.height() - 1) * (2 * canvas.width() - 1);
    let block = offsets * heads + units * (6 * units + 9);
    units * 26 + blocks * block + units * (units + 3) + 7 * (units + 1)
}

fn network_architecture(input: &mut Input<'_>) -> Architecture {
    let (size, blocks, heads) = (1 + input.below(3), input.below(3), 1 + input.below(2));
    Architecture {
        units: size * heads,
        blocks,
        heads,
    }
}

/// Whether a file of a network says that its weights have 16 bits.
fn is_half(file: &[u8]) -> bool {
    file[NETWORK_LETTERS.len()] >= 4
}

fn check_network(file: &[u8], network: &Network) {
    assert_eq!(network.file(), file);
    let (scope, architecture) = (network.scope(), network.architecture());
    let mut content = network_content(&text_of(scope), scope, architecture);
    let bytes = &file[HEADER + content.len()..];
    let half = is_half(file);
    let numbers = numbers_of(bytes, half);
    assert_eq!(network.num_weights(), num_weights(scope, architecture));
    assert_eq!(numbers.len(), network.num_weights());
    assert!(numbers.iter().all(|number| number.is_finite()));
    assert_eq!(network.weights().unwrap(), numbers);
    content.extend(bytes);
    assert_eq!(sealed(start_of(scope, half), &content), file);

    let any = Variant::new(
        Board::from_text("#").unwrap(),
        Opening::Anywhere,
        i64::from(scope.copies()),
    );
    let any = any.expect("copies were checked");
    let variant = scope.variant().unwrap_or(&any);
    let mut observation = Array2::zeros((1, Layout::Flat.len(variant)));
    observe(
        variant,
        &Position::new(variant),
        Layout::Flat,
        observation.as_slice_mut().expect("it is contiguous"),
    );
    let evaluated = network
        .on(variant)
        .unwrap()
        .evaluate(&observation, 1, Limits::default())
        .unwrap();
    assert_eq!(evaluated.logits.len(), num_actions(variant));
    assert_eq!(evaluated.values.nrows(), 1);
}

/// The bytes of so many weights, of which one may be infinite or NaN.
fn weights_of(input: &mut Input<'_>, count: usize, half: bool) -> Vec<u8> {
    let size = input.below(5);
    let step = usize::from(input.byte()) | 1;
    let index = input.number() as usize % count;
    let kind = input.below(6);
    if half {
        let exponent = [0x3C00, 0x2000, 0, 0x8000, 0x7800][size];
        let mut weights: Vec<u16> = (0..count)
            .map(|index| exponent + (index * step % 17 * 60) as u16)
            .collect();
        weights[index] = [0, 0, 0x3C00, 0x7C00, 0xFE00, 1][kind];
        let bytes = weights.iter().flat_map(|weight| weight.to_le_bytes());
        bytes.collect()
    } else {
        let scale = [1.0, 0.01, 0.0, -1e30, f32::MAX][size];
        let mut weights: Vec<f32> = (0..count)
            .map(|index| scale * ((index * step % 17) as f32 / 8.0 - 1.0))
            .collect();
        weights[index] = [0.0, 0.0, 1.0, f32::INFINITY, f32::NAN, f32::MIN_POSITIVE][kind];
        let bytes = weights.iter().flat_map(|weight| weight.to_le_bytes());
        bytes.collect()
    }
}

/// A network is read if it is written exactly as the format says, with any weights, and then it can
/// evaluate. Anything else is refused.
pub fn network_file(data: &[u8]) {
    let mut input = Input::new(data);
    let mut right = None;
    let scope = scope_of(&input.listed_variant(), input.below(4) == 0);
    let half = input.below(2) == 0;
    let start = start_of(&scope, half);
    let file = file(&mut input, start, |input| {
        let architecture = network_architecture(input);
        let text = text_of(&scope);
        let written = input.edited(&text, &VARIANT_TOKENS);
        let mut content = network_content(&written, &scope, architecture);
        let count = num_weights(&scope, architecture);
        let weights = weights_of(input, count, half);
        let numbers = numbers_of(&weights, half);
        let odd = numbers.iter().position(|number| !number.is_finite());
        content.extend(weights);
        if written == text {
            let finite = odd.map_or(Ok(()), Err);
            right = Some((sealed(start, &content), finite));
        }
        content
    });
    let right = right.filter(|right| right.0 == file);
    match Network::parse(&file) {
        Ok(network) => {
            let start = start_of(network.scope(), is_half(&file));
            assert!(opened(start, &file).is_some());
            assert!(right.is_none_or(|right| right.1.is_ok()));
            check_network(&file, &network);
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            if let Some((_, finite)) = right {
                let index = finite.expect_err("a right file is read");
                assert_eq!(error, NetworkError::NotFinite { index });
            }
        }
    }
}
