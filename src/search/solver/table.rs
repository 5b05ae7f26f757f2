//! The transposition table: proven bounds by position.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::large_pages::{LARGE, in_large_pages};
use crate::memory::{OutOfMemory, zeroed};
use crate::simd::fetch;

/// Slots in which a position may lie.
const WAYS: usize = 4;
const BUCKET_BYTES: usize = WAYS * size_of::<AtomicU64>();
const VALUE_BITS: u32 = 6;
const MOVE_BITS: u32 = 6;
const FIXED_BITS: u32 = 2 * VALUE_BITS + MOVE_BITS;
/// The least that is left for the effort.
const EFFORT_BITS: u32 = 2;
const OFFSET: i32 = 1 << (VALUE_BITS - 1);

/// The largest margin that an entry can hold.
pub(super) const MAX_MARGIN: i32 = OFFSET - 1;
/// Beyond every margin: not a bound.
const NO_BOUND: i32 = 1000;

/// The bounds of a position: its margin lies in `lower..=upper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) lower: i32,
    pub(super) upper: i32,
    /// The move that was best when last searched, `piece * 16 + cell`.
    pub(super) best: u8,
}

/// An entry has to hold the bits of the key that the bucket number does not.
const fn least_bucket_bits(key_bits: u32) -> u32 {
    let least = (key_bits + FIXED_BITS + EFFORT_BITS).saturating_sub(64);
    if least == 0 { 1 } else { least }
}

/// Bounds by exact key, shared between threads without locks.
///
/// An entry is one word, written and read at once. A key is scrambled by a bijection; the bucket
/// number holds a part of the result and the entry the rest, so together they are the whole key
/// and an entry never answers for another position.
///
/// ```text
/// tag (key bits less bucket bits) | effort | best move (6) | upper (6) | lower (6)
/// ```
#[derive(Debug)]
pub(super) struct TranspositionTable {
    /// The buckets, one after the other, and around them what keeps each in one cache line, and all
    /// in large pages.
    slots: Vec<AtomicU64>,
    /// The first slot of the first bucket.
    first: usize,
    bucket_bits: u32,
    key_bits: u32,
}

impl TranspositionTable {
    /// A table for keys of this width that takes at most `bytes`, or the smallest there can be.
    ///
    /// The system hands out memory only when entries are stored, so this takes no time.
    pub(super) fn new(bytes: usize, key_bits: u32) -> Result<Self, OutOfMemory> {
        let fitting = (bytes / BUCKET_BYTES).max(1).ilog2();
        let bucket_bits = fitting.clamp(least_bucket_bits(key_bits), key_bits - 1);
        let is_large = BUCKET_BYTES << bucket_bits >= LARGE;
        let align = if is_large { LARGE } else { BUCKET_BYTES };
        // Memory for a type that is itself so aligned would be written to at once.
        let spare = align / size_of::<AtomicU64>();
        let slots = zeroed("the table of the solver", (WAYS << bucket_bits) + spare)?;
        let slots: Vec<AtomicU64> = in_large_pages(slots);
        let start = slots.as_ptr().addr();
        Ok(Self {
            first: (start.next_multiple_of(align) - start) / size_of::<AtomicU64>(),
            slots,
            bucket_bits,
            key_bits,
        })
    }

    /// The memory of the smallest table for keys of this width.
    pub(super) const fn least_bytes(key_bits: u32) -> usize {
        BUCKET_BYTES << least_bucket_bits(key_bits)
    }

    /// The memory it takes.
    pub(super) fn bytes(&self) -> usize {
        BUCKET_BYTES << self.bucket_bits
    }

    /// The bucket of a key and the tag that tells it from the others there.
    #[inline]
    fn locate(&self, key: u64) -> (&[AtomicU64; WAYS], u64) {
        // Multiplying by an odd number and adding the high half to the low are both bijections on
        // the numbers of `key_bits` bits. The factors are those of SplitMix64's finalizer, for
        // their mixing.
        let mask = u64::MAX >> (64 - self.key_bits);
        let mut mixed = key.wrapping_mul(0xBF58_476D_1CE4_E5B9) & mask;
        mixed ^= mixed >> (self.key_bits / 2);
        mixed = mixed.wrapping_mul(0x94D0_49BB_1331_11EB) & mask;
        let tag_bits = self.key_bits - self.bucket_bits;
        let bucket = (mixed >> tag_bits) as usize;
        let slots = self.slots[self.first + bucket * WAYS..].first_chunk();
        (
            slots.expect("every bucket is whole"),
            mixed & ((1 << tag_bits) - 1),
        )
    }

    /// Lets the processor fetch the bucket of a key that will be asked for soon.
    #[inline]
    pub(super) fn fetch(&self, key: u64) {
        fetch(&self.locate(key).0[0]);
    }

    fn payload_bits(&self) -> u32 {
        64 - self.key_bits + self.bucket_bits
    }

    /// The bounds of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Known> {
        let (bucket, tag) = self.locate(key);
        let payload_bits = self.payload_bits();
        let entry = bucket.iter().map(|slot| slot.load(Relaxed)).find(|entry| {
            // An empty slot is 0; every entry has a positive effort.
            entry >> payload_bits == tag && *entry != 0
        })?;
        let field = |shift: u32, bits: u32| (entry >> shift & ((1 << bits) - 1)) as i32;
        let (lower, upper) = (field(0, VALUE_BITS), field(VALUE_BITS, VALUE_BITS));
        // The least and the greatest number stand for whatever lies beyond.
        Some(Known {
            lower: if lower == 0 {
                -NO_BOUND
            } else {
                lower - OFFSET
            },
            upper: if upper == 2 * OFFSET - 1 {
                NO_BOUND
            } else {
                upper - OFFSET
            },
            best: field(2 * VALUE_BITS, MOVE_BITS) as u8,
        })
    }

    /// Stores the bounds of a position, as far as an entry can hold them, in place of its old ones,
    /// or of the entry in its bucket that took the least effort to find.
    #[inline]
    pub(super) fn put(&self, key: u64, known: Known, nodes: u64) {
        let (bucket, tag) = self.locate(key);
        let payload_bits = self.payload_bits();
        let most = (1_u64 << (payload_bits - FIXED_BITS).min(6)) - 1;
        let effort = u64::from(nodes.max(1).ilog2()).clamp(1, most);
        let field = |bound: i32| (bound.clamp(-OFFSET, MAX_MARGIN) + OFFSET) as u64;
        let entry = tag << payload_bits
            | effort << FIXED_BITS
            | u64::from(known.best) << (2 * VALUE_BITS)
            | field(known.upper) << VALUE_BITS
            | field(known.lower);
        let (mut place, mut least) = (&bucket[0], u64::MAX);
        for slot in bucket {
            let old = slot.load(Relaxed);
            if old >> payload_bits == tag {
                place = slot;
                break;
            }
            let old_effort = old >> FIXED_BITS & most;
            if old_effort < least {
                (place, least) = (slot, old_effort);
            }
        }
        place.store(entry, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    use crate::random::SplitMix64;

    fn known(number: u64) -> Known {
        Known {
            lower: number as i32 % 20 - 20,
            upper: number as i32 % 30,
            best: (number % 64) as u8,
        }
    }

    #[test]
    fn an_entry_never_answers_for_another_key() {
        // Small enough that buckets overflow; keys that differ in few bits.
        for (key_bits, keys) in [(48, 5_000_u64), (64, 5_000)] {
            let table = TranspositionTable::new(1 << 10, key_bits).unwrap();
            let mut rng = SplitMix64::new(1);
            let mask = u64::MAX >> (64 - key_bits);
            let base = rng.next_u64();
            let mut found = 0;
            let mut stored = std::collections::HashMap::new();
            for number in 0..keys {
                let key = (base ^ number << (number % 7 * 5)) & mask;
                stored.insert(key, number);
                table.put(key, known(number), number);
            }
            for (key, &number) in &stored {
                if let Some(answer) = table.get(*key) {
                    assert_eq!(answer, known(number));
                    found += 1;
                }
                let other = rng.next_u64() & mask;
                assert!(stored.contains_key(&other) || table.get(other).is_none());
            }
            assert!(found > 0);
        }
    }

    #[test]
    fn every_key_has_its_own_bucket_and_tag() {
        let table = TranspositionTable::new(1 << 16, 48).unwrap();
        let mask = u64::MAX >> 16;
        // Newton's method doubles the bits that are right, of which there are three at first.
        let factor = 0xBF58_476D_1CE4_E5B9_u64;
        let inverse = (0..5).fold(factor, |inverse, _| {
            inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)))
        });
        let place = |mixed: u64| {
            let (bucket, tag) = table.locate(mixed.wrapping_mul(inverse) & mask);
            (bucket.as_ptr(), tag)
        };
        let mut rng = SplitMix64::new(4);
        for _ in 0..100 {
            let mixed = rng.next_u64() & mask;
            for bit in 0..48 {
                assert_ne!(place(mixed), place(mixed ^ 1 << bit), "{mixed:x} {bit}");
            }
        }
    }

    #[test]
    fn bounds_beyond_every_margin_are_none() {
        let table = TranspositionTable::new(1 << 16, 48).unwrap();
        let none = Known {
            lower: -NO_BOUND,
            upper: NO_BOUND,
            best: 3,
        };
        table.put(5, none, 1);
        assert_eq!(table.get(5), Some(none));
    }

    #[test]
    fn entries_are_found_in_every_bucket() {
        let table = TranspositionTable::new(1 << 16, 48).unwrap();
        let mut rng = SplitMix64::new(3);
        let keys: Vec<u64> = (0..100).map(|_| rng.next_u64() >> 16).collect();
        for (number, &key) in (0..).zip(&keys) {
            table.put(key, known(number), 1);
        }
        let found = (0..).zip(&keys);
        let found = found.filter(|&(number, &key)| table.get(key) == Some(known(number)));
        assert_eq!(found.count(), keys.len());
    }

    #[test]
    fn buckets_do_not_overlap() {
        let table = TranspositionTable::new(1 << 10, 48).unwrap();
        let mut rng = SplitMix64::new(2);
        let start = table.slots[table.first..].as_ptr() as usize;
        let mut buckets = std::collections::HashSet::new();
        for _ in 0..1_000 {
            let (bucket, _) = table.locate(rng.next_u64() >> 16);
            let place = bucket.as_ptr() as usize - start;
            assert_eq!(place % size_of_val(bucket), 0);
            buckets.insert(place);
        }
        assert!(buckets.len() > 1);
    }

    #[test]
    fn what_took_most_effort_stays() {
        let table = TranspositionTable::new(1 << 12, 48).unwrap();
        table.put(7, known(7), 1 << 20);
        for key in 100..10_000 {
            table.put(key, known(key), 10);
        }
        assert_eq!(table.get(7), Some(known(7)));
    }

    #[test]
    fn the_size_keeps_to_its_cap() {
        let bytes = |cap| TranspositionTable::new(cap, 48).unwrap().bytes();
        assert_eq!(bytes(64 << 20), 64 << 20);
        assert_eq!(bytes((64 << 20) - 1), 32 << 20);
    }

    #[test]
    fn a_table_that_no_memory_holds_is_an_error() {
        let refused = TranspositionTable::new(1 << 62, 64).unwrap_err();
        assert_eq!(refused.bytes, (1 << 62) + LARGE);
    }
}
