//! What tree searches keep from one search to the next, and variants that come later.

use std::sync::Arc;

use mijnlieff::encode::{Layout, VariantSet};
use mijnlieff::game::Variant;
use mijnlieff::policy::opening;
use mijnlieff::search::Limits;
use mijnlieff::tree_search::{NextRoot, RootPosition, TreeConfig, TreeSearch, tree_search};

use super::tree_search::{CONFIG, mixed_variants, restart, run, run_on_canvas, searched, start};

#[test]
fn a_root_with_thousands_of_visits_is_kept() {
    let variant = Arc::new(Variant::default());
    let root = opening(&variant, 8, 0).unwrap();
    let config = TreeConfig {
        num_simulations: 5000,
        ..CONFIG
    };
    let mut search = searched(&variant, &[root], config, None);
    let visits = |search: &dyn TreeSearch| search.nodes(0, Limits::default()).unwrap()[0].visits;
    let before = visits(&*search);
    assert!(before >= 5000, "{before}");
    restart(&mut *search, &[root], Limits::default()).unwrap();
    assert_eq!(visits(&*search), before);
}

#[test]
fn the_memory_of_the_trees_before_counts_too() {
    let variant = Arc::new(Variant::default());
    let root = opening(&variant, 3, 0).unwrap();
    let mut search = start(&variant, &[root], CONFIG, None, 1);
    for _ in 0..4 {
        run(&variant, &mut *search);
        let before = search.bytes();
        restart(&mut *search, &[root], Limits::default()).unwrap();
        assert!(search.bytes() >= before, "{before}");
    }
}

#[test]
fn searches_go_on_with_variants_that_come_later() {
    let variants = mixed_variants();
    let canvas = variants.canvas().unwrap();
    let first = VariantSet::on_canvas(variants.all()[..1].to_vec(), canvas).unwrap();
    let root = |variant: usize| RootPosition {
        variant,
        position: opening(variants.get(variant), 3, 5).unwrap(),
    };
    let start = |set: &Arc<VariantSet>, variant: usize| {
        let roots = [(root(variant), CONFIG.seed)];
        tree_search(set, &roots, CONFIG, Layout::Planes, Vec::new(), 1).unwrap()
    };
    let last = variants.all().len() - 1;
    let mut extended = start(&Arc::new(first), 0);
    extended.extend(Arc::clone(&variants), Vec::new()).unwrap();
    let next = NextRoot::Fresh {
        root: root(last),
        seed: CONFIG.seed,
    };
    extended.restart_each(&[next], Limits::default()).unwrap();
    let mut whole = start(&variants, last);
    for search in [&mut extended, &mut whole] {
        run_on_canvas(&variants, &mut **search);
    }
    assert_eq!(
        extended.nodes(0, Limits::default()),
        whole.nodes(0, Limits::default())
    );
}
