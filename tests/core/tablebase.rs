//! Tables of small boards: every position against plain minimax, and files that are cut short or damaged.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mijnlieff::game::{Opening, Position, Variant};
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Halt, Limits};
use mijnlieff::tablebase::{Tablebase, TablebaseError};

use super::fuzz::bodies::tables::minimax;
use super::network::variant;
use super::solver::solve_all;

/// A file in its own folder, which goes with the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = format!("mijnlieff-tablebase-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.join("table")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn build(variant: &Variant, path: &std::path::Path) {
    Tablebase::build(variant, path, 2, &AtomicBool::new(false), |_| ()).unwrap();
}

#[test]
fn every_position_of_small_boards_has_the_margin_of_minimax() {
    for (text, copies) in [
        ("#", 1),
        ("##\n##", 1),
        ("###\n###", 1),
        ("##.\n.##\n##.", 1),
        ("####\n.##.", 1),
        ("##.\n###", 2),
        (".#..#\n#.##.", 3),
    ] {
        let scratch = Scratch::new("minimax");
        let anywhere = variant(text, copies);
        build(&anywhere, &scratch.path());
        let table = Arc::new(Tablebase::open(&scratch.path()).unwrap());
        for opening in Opening::ALL {
            let variant = Variant::new(anywhere.board().clone(), opening, copies).unwrap();
            let start = Position::new(&variant);
            let mut known = HashMap::new();
            minimax(&variant, &start, &mut known);
            let (positions, expected): (Vec<_>, Vec<_>) =
                known.iter().map(|(&p, &m)| (p, m)).unzip();
            let solver = Solver::with_tablebase(&variant, Arc::clone(&table));
            let margins = solver.margins(&positions, 2, Limits::default());
            assert_eq!(margins.unwrap(), expected);
            let solutions = solve_all(&solver, &positions, 2, Limits::default());
            for (number, solution) in solutions.unwrap().into_iter().enumerate() {
                let position = &positions[number];
                let legal = position.legal_moves(&variant);
                assert!(solution.moves.iter().map(|&(mv, _)| mv).eq(legal));
                for &(mv, margin) in &solution.moves {
                    let after = position.play_unchecked(&variant, mv);
                    assert_eq!(margin, -known[&after], "{text}: {position:?} {mv:?}");
                }
                assert_eq!((solution.margin, solution.nodes), (expected[number], 0));
                if number % 100 == 0 {
                    assert_eq!(solver.solve(position, Limits::default()).unwrap(), solution);
                    assert_eq!(
                        solver.margin(position, Limits::default()),
                        Ok(solution.margin)
                    );
                }
            }
        }
    }
}

#[test]
fn looking_up_stops_at_the_position_that_is_named() {
    let scratch = Scratch::new("stop");
    let variant = variant("###\n###", 1);
    build(&variant, &scratch.path());
    let table = Arc::new(Tablebase::open(&scratch.path()).unwrap());
    let solver = Solver::with_tablebase(&variant, table);
    let positions = vec![Position::new(&variant); 3000];
    let (stop, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    let put = |(), _| {
        count.fetch_add(1, Ordering::Relaxed);
        stop.store(true, Ordering::Relaxed);
    };
    let limits = Limits::stopped_by(&stop);
    let (number, unsolved) = solver
        .solve_each(&positions, vec![(); 3000].into_iter(), 1, limits, put)
        .unwrap_err();
    assert_eq!(unsolved.halt, Halt::Stopped);
    assert_eq!(number, count.load(Ordering::Relaxed));
    assert!((1..3000).contains(&number));
}

/// A build that is stopped and a partial file that was cut or damaged anywhere are continued, and the
/// table is the same, byte by byte.
#[test]
fn builds_are_resumed() {
    let scratch = Scratch::new("resume");
    let variant = variant("###\n###", 2);
    let (path, partial) = (scratch.path(), scratch.0.join("table.partial"));
    build(&variant, &path);
    let whole = fs::read(&path).unwrap();
    assert_eq!(whole.len(), Tablebase::size(&variant).unwrap().file_bytes);
    let error = Tablebase::build(&variant, &path, 1, &AtomicBool::new(false), |_| ());
    assert!(
        matches!(error, Err(TablebaseError::Io(_))),
        "a table is there"
    );
    let resumes = || {
        fs::remove_file(&path).unwrap();
        build(&variant, &path);
        assert!(!partial.exists());
        assert_eq!(fs::read(&path).unwrap(), whole);
    };
    let stop = AtomicBool::new(false);
    fs::remove_file(&path).unwrap();
    let stopped = Tablebase::build(&variant, &path, 1, &stop, |progress| {
        stop.store(progress.stones == 3, Ordering::Relaxed);
    });
    assert!(matches!(stopped, Err(TablebaseError::Stopped)));
    assert!(!path.exists() && partial.metadata().unwrap().len() > 1000);
    fs::write(&path, []).unwrap();
    resumes();
    for length in (0..whole.len())
        .step_by(whole.len() / 9)
        .chain([whole.len()])
    {
        fs::write(&partial, &whole[..length]).unwrap();
        resumes();
    }
    for at in (0..whole.len()).step_by(whole.len() / 10) {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        fs::write(&partial, damaged).unwrap();
        resumes();
    }
    fs::write(&partial, [&whole[..], &[1, 2, 3]].concat()).unwrap();
    resumes();
}

/// Also where the head is as long as it can be.
#[test]
fn a_partial_file_of_another_table_is_kept() {
    let scratch = Scratch::new("other");
    let (path, partial) = (scratch.path(), scratch.0.join("table.partial"));
    let (left, right) = (
        format!("#{}\n", ".".repeat(63)),
        format!("{}#", ".".repeat(63)),
    );
    let widest = format!(
        "{left}{}{right}",
        format!("{}\n", ".".repeat(64)).repeat(62)
    );
    let other = variant("##\n##", 1);
    for text in ["###\n###", &widest] {
        let variant = variant(text, 1);
        build(&variant, &path);
        let whole = fs::read(&path).unwrap();
        fs::rename(&path, &partial).unwrap();
        let refused = Tablebase::build(&other, &path, 1, &AtomicBool::new(false), |_| ());
        assert!(matches!(refused, Err(TablebaseError::Io(_))), "{refused:?}");
        assert_eq!(fs::read(&partial).unwrap(), whole);
        build(&variant, &path);
        assert_eq!(fs::read(&path).unwrap(), whole);
        assert!(!partial.exists());
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn damaged_files_are_refused_and_never_answer() {
    let scratch = Scratch::new("damage");
    let variant = variant("###\n###", 1);
    let path = scratch.path();
    build(&variant, &path);
    let whole = fs::read(&path).unwrap();
    let open = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Tablebase::open(&path)
    };
    for length in 0..whole.len() {
        assert!(
            matches!(open(&whole[..length]), Err(TablebaseError::File(_))),
            "{length}"
        );
    }
    let mut known = HashMap::new();
    minimax(&variant, &Position::new(&variant), &mut known);
    let (positions, expected): (Vec<_>, Vec<_>) = known.iter().map(|(&p, &m)| (p, m)).unzip();
    let mut refused = 0;
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        let Ok(table) = open(&damaged) else { continue };
        let checked = table.check(&AtomicBool::new(false));
        assert!(matches!(checked, Err(TablebaseError::Damaged(_))));
        let solver = Solver::with_tablebase(&variant, Arc::new(table));
        match solver.margins(&positions, 1, Limits::default()) {
            Err(Halt::Damaged(_)) => refused += 1,
            Ok(margins) => assert_eq!(margins, expected, "byte {at}"),
            Err(error) => panic!("byte {at}: {error}"),
        }
        let solutions = solve_all(&solver, &positions, 1, Limits::default());
        match solutions {
            Err((_, unsolved)) => assert!(matches!(unsolved.halt, Halt::Damaged(_))),
            Ok(solutions) => {
                assert!(
                    solutions
                        .iter()
                        .map(|it| it.margin)
                        .eq(expected.iter().copied())
                );
            }
        }
    }
    assert!(refused > whole.len() / 10);
}
