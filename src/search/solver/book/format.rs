//! The file of the book.
//!
//! ```text
//! the header of `crate::file_header`, with the letters "MIJNBOOK" | groups
//! group: planes less those of the group before | number of entries | entries
//! entry: (rank of the hands less that of the entry before) * 16 + margin + 8
//! ```
//!
//! The numbers of groups and entries are written seven bits a
//! byte, lowest first, the high bit set on all but the last. Groups and entries ascend, so
//! differences are small and an entry takes about two bytes.

use super::{BookError, Group};
use crate::file_header::FileKind;
use crate::memory::{make_room, with_room};

pub(super) const KIND: FileKind = FileKind {
    name: "book",
    letters: "MIJNBOOK",
    version: 1,
    oldest: 1,
};
/// What the memory is for, in errors.
const BOOK: &str = "the opening book";
/// Margins from -8 to 7 fit an entry.
const MARGIN_OFFSET: i32 = 8;
const MARGIN_BITS: u32 = 4;

/// How many pairs of hands there are.
const RANKS: u32 = 3_u32.pow(8);

/// A number per pair of hands with counts of two bits, each at most 2: base 3, own hand first.
fn rank(hands: u32) -> u32 {
    let digits = [0, 2, 4, 6, 16, 18, 20, 22].map(|shift| hands >> shift & 3);
    digits.into_iter().fold(0, |rank, digit| rank * 3 + digit)
}

fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[inline]
fn pull(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let mut number = 0_u64;
    for shift in [0, 7, 14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            // A high byte of 0 is never written.
            let shortest = byte > 0 || shift == 0;
            return u32::try_from(number).ok().filter(|_| shortest);
        }
    }
    None
}

/// The margin of the entry with these hands, among the `len` entries that `bytes` start with.
pub(super) fn find(bytes: &[u8], len: u32, hands: u32) -> Option<i32> {
    let wanted = rank(hands);
    let (mut at, mut found) = (0, 0);
    for _ in 0..len {
        let entry = pull(bytes, &mut at)?;
        found += entry >> MARGIN_BITS;
        if found == wanted {
            return Some((entry & ((1 << MARGIN_BITS) - 1)) as i32 - MARGIN_OFFSET);
        }
    }
    None
}

/// The file with these positions: planes, hands and margin, each position once, in any order.
///
/// # Panics
///
/// If a margin does not fit an entry.
pub(super) fn write(positions: impl Iterator<Item = (u32, u32, i32)>) -> Vec<u8> {
    let mut sorted: Vec<(u32, u32, i32)> = positions
        .map(|(planes, hands, margin)| (planes, rank(hands), margin))
        .collect();
    sorted.sort_unstable();
    let mut body = Vec::new();
    let mut previous = 0;
    for group in sorted.chunk_by(|one, other| one.0 == other.0) {
        push(&mut body, group[0].0 - previous);
        previous = group[0].0;
        push(&mut body, group.len() as u32);
        let mut previous = 0;
        for &(_, rank, margin) in group {
            let margin = margin + MARGIN_OFFSET;
            assert!((0..1 << MARGIN_BITS).contains(&margin));
            push(&mut body, (rank - previous) << MARGIN_BITS | margin as u32);
            previous = rank;
        }
    }
    KIND.seal(&body)
}

/// The file of a book with those positions of another that have at most so many stones.
///
/// # Errors
///
/// As [`Book::parse`](super::Book::parse).
pub fn shorten_book(file: &[u8], stones: usize) -> Result<Vec<u8>, BookError> {
    let (groups, entries, _) = read(file)?;
    let (mut body, mut previous) = (Vec::new(), 0);
    for group in groups
        .iter()
        .filter(|group| group.stones() as usize <= stones)
    {
        push(&mut body, group.planes - previous);
        previous = group.planes;
        push(&mut body, group.len);
        let start = group.start as usize;
        let mut end = start;
        for _ in 0..group.len {
            pull(&entries, &mut end);
        }
        body.extend_from_slice(&entries[start..end]);
    }
    Ok(KIND.seal(&body))
}

/// Groups, the bytes they point into, and the number of positions.
pub(super) type Content = (Vec<Group>, Box<[u8]>, usize);

/// The content of a file.
pub(super) fn read(file: &[u8]) -> Result<Content, BookError> {
    let (_, body) = KIND.open(file)?;
    let (mut groups, mut at, mut total) = (Vec::new(), 0, 0);
    while at < body.len() {
        let wrong = BookError::Content { at };
        let group = read_group(body, &mut at, groups.last()).ok_or(wrong)?;
        total += group.len as usize;
        make_room(&mut groups, BOOK, 1)?;
        groups.push(group);
    }
    let mut entries = with_room(BOOK, body.len())?;
    entries.extend_from_slice(body);
    Ok((groups, entries.into_boxed_slice(), total))
}

/// The group that starts here; none when it is not written as [`write`] does.
fn read_group(body: &[u8], at: &mut usize, before: Option<&Group>) -> Option<Group> {
    let planes = ascend(before.map(|group| group.planes), pull(body, at)?)?;
    let len = pull(body, at).filter(|&len| len > 0)?;
    let start = u32::try_from(*at).ok()?;
    let mut rank = None;
    for _ in 0..len {
        let next = ascend(rank, pull(body, at)? >> MARGIN_BITS);
        rank = Some(next.filter(|&next| next < RANKS)?);
    }
    Some(Group { planes, start, len })
}

/// The next of ascending numbers, by its difference to the one before, or to 0 at the start.
fn ascend(before: Option<u32>, difference: u32) -> Option<u32> {
    match before {
        None => Some(difference),
        Some(before) if difference > 0 => before.checked_add(difference),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_header::FileError;

    const FULL: u32 = 0b1010_1010;

    fn sample() -> Vec<u8> {
        let hands = [
            FULL << 16 | FULL,
            (FULL - 1) << 16 | FULL,
            FULL << 16 | (FULL - 2 * 64),
        ];
        write(
            [
                (7, hands[0], -8),
                (7, hands[1], 7),
                (900, hands[2], 0),
                (u32::MAX, 0, 1),
            ]
            .into_iter(),
        )
    }

    #[test]
    fn what_is_written_is_found() {
        let (groups, entries, len) = read(&sample()).unwrap();
        assert_eq!(len, 4);
        let margin = |planes: u32, hands: u32| {
            let group = groups.iter().find(|group| group.planes == planes)?;
            find(&entries[group.start as usize..], group.len, hands)
        };
        assert_eq!(margin(7, FULL << 16 | FULL), Some(-8));
        assert_eq!(margin(7, (FULL - 1) << 16 | FULL), Some(7));
        assert_eq!(margin(900, FULL << 16 | (FULL - 2 * 64)), Some(0));
        assert_eq!(margin(u32::MAX, 0), Some(1));
        assert_eq!(margin(u32::MAX, 1), None);
    }

    #[test]
    fn a_shorter_book_is_that_of_its_positions() {
        let hands = FULL << 16 | FULL;
        let few = [
            (0b0111 << 16 | 0b0100, hands, -8),
            (0b0110 << 16 | 0b1010, hands, 3),
        ];
        let many = [(0b0111 << 16, hands, 7), (0b1111 << 16, hands, 0)];
        let all = write(few.into_iter().chain(many));
        assert_eq!(shorten_book(&all, 2).unwrap(), write(few.into_iter()));
        assert_eq!(shorten_book(&all, 4).unwrap(), all);
        assert!(shorten_book(&all[1..], 2).is_err());
    }

    #[test]
    fn content_that_is_never_written_is_refused_whatever_its_checksum() {
        let largest = [0xff, 0xff, 0xff, 0xff, 0x0f];
        let entries_that_overflow = [&[7, 20][..], &largest.repeat(20)].concat();
        let wrong: [(&str, &[u8], usize); 9] = [
            ("an empty group", &[7, 0], 0),
            ("the planes of the group before", &[7, 1, 8, 0, 1, 8], 3),
            (
                "planes above 32 bits",
                &[&[7, 1, 8][..], &largest, &[1, 8]].concat(),
                3,
            ),
            ("the hands of the entry before", &[7, 2, 24, 8], 0),
            ("hands above the last", &[7, 1, 0x98, 0xb4, 0x06], 0),
            ("hands above 32 bits", &entries_that_overflow, 0),
            ("a number longer than it need be", &[0x87, 0, 1, 8], 0),
            (
                "a number above 32 bits",
                &[0xff, 0xff, 0xff, 0xff, 0x1f, 1, 8],
                0,
            ),
            ("a missing entry", &[7, 2, 8], 0),
        ];
        for (name, body, at) in wrong {
            let found = read(&KIND.seal(body));
            assert_eq!(found, Err(BookError::Content { at }), "{name}");
        }
        // The last pair of hands, beside the one refused above.
        assert!(read(&KIND.seal(&[7, 1, 0x88, 0xb4, 0x06])).is_ok());
    }

    #[test]
    fn any_damage_is_noticed() {
        let file = sample();
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err());
        }
        assert!(read(&[&file[..], &[0]].concat()).is_err());
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut damaged = file.clone();
                damaged[at] ^= 1 << bit;
                assert!(read(&damaged).is_err(), "byte {at}, bit {bit}");
            }
        }
        let mut newer = file;
        newer[8] = 9;
        let version = FileError::Version {
            kind: KIND,
            found: 9,
        };
        assert_eq!(read(&newer), Err(BookError::File(version)));
    }
}
