//! What holds for every set of cells; the rest is checked by the bodies of the fuzz targets.

use std::collections::BTreeSet;

use mijnlieff::game::{Cell, CellSet};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sets_of_cells_are_sets(
        a in prop::collection::vec(0..64_usize, 0..80), b in prop::collection::vec(0..64_usize, 0..80)
    ) {
        let plain = |cells: &[usize]| cells.iter().copied().collect::<BTreeSet<usize>>();
        let set = |cells: &BTreeSet<usize>| cells.iter().map(|&it| Cell::new(it)).collect::<CellSet>();
        let one = a.iter().fold(CellSet::EMPTY, |cells, &it| cells.with(Cell::new(it)));
        let (a, b) = (plain(&a), plain(&b));
        prop_assert_eq!(one, set(&a));
        prop_assert_eq!(one.len(), a.len());
        prop_assert_eq!(one.is_empty(), a.is_empty());
        prop_assert!(one.into_iter().map(Cell::index).eq(a.iter().copied()));
        prop_assert!((0..64).all(|it| one.contains(Cell::new(it)) == a.contains(&it)));
        let other = set(&b);
        prop_assert_eq!(one | other, set(&(&a | &b)));
        prop_assert_eq!(one & other, set(&(&a & &b)));
        prop_assert_eq!(one - other, set(&(&a - &b)));
        prop_assert_eq!(one.is_superset(other), a.is_superset(&b));
        prop_assert!(one.is_superset(one & other));
    }
}
