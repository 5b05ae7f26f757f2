//! The exact solver against plain minimax, against itself, and against the known solution.

use std::env;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use mijnlieff::FileError;
use mijnlieff::game::{Board, Cell, Move, Opening, Piece, Position, Variant, parse_position};
use mijnlieff::policy::{Policy, opening};
use mijnlieff::random::SplitMix64;
use mijnlieff::search::solver::{
    Book, BookError, Solution, Solver, Unsolved, canonical_counts, shorten_book,
};
use mijnlieff::search::{Halt, Limits, minimax, minimax_moves};

use super::fuzz::bodies::games;

/// Boards of up to 16 cells: whole, with gaps, joined at corners, in pieces, and very small.
const BOARDS: [&str; 12] = [
    "####\n####\n####\n####",
    "##..\n##..\n..##\n..##",
    "..##\n..##\n##..\n##..\n..##\n..##\n##..\n##..",
    "########\n########",
    "##.##\n##.##\n.###.\n..#..",
    "##...##\n#######\n.#####.",
    "#####\n#####\n#####",
    "################",
    "###\n#.#\n###",
    "#.#",
    "##",
    "#",
];

/// Longer games than this are too many for plain minimax.
const MOST_PLIES: u32 = 64;

/// The position after a legal move drawn at random.
pub(super) fn random_move(
    variant: &Variant,
    position: &Position,
    rng: &mut SplitMix64,
) -> Position {
    let mv = Policy::Random.choose(variant, position, rng);
    position.play(variant, mv).unwrap()
}

/// The positions of a random game, the finished one included.
pub(super) fn random_game(variant: &Variant, rng: &mut SplitMix64) -> Vec<Position> {
    let mut game = vec![Position::new(variant)];
    while !game[game.len() - 1].is_over(variant) {
        game.push(random_move(variant, &game[game.len() - 1], rng));
    }
    game
}

pub(super) fn solve(solver: &Solver, position: &Position) -> Solution {
    solver.solve(position, Limits::default()).unwrap()
}

/// A bound of the leaves below a position: full-width search is feasible while it is small.
fn size(variant: &Variant, position: &Position) -> usize {
    let open = variant.board().num_cells() - position.occupied().len();
    position.count_legal_moves(variant) * 6_usize.pow(open.saturating_sub(1).min(12) as u32)
}

/// Compares a solver with plain minimax at the end of a game, and returns in how many positions.
pub(super) fn check_ending(solver: &Solver, variant: &Variant, game: &[Position]) -> usize {
    let positions = game.iter().rev();
    let small: Vec<_> = positions
        .take_while(|position| size(variant, position) <= 20_000)
        .collect();
    for &position in &small {
        let found = solve(solver, position);
        let margin = minimax(variant, position, MOST_PLIES);
        assert_eq!(found.margin, margin, "{variant:?}, {position:?}");
        assert_eq!(solver.margin(position, Limits::default()), Ok(margin));
        for least in margin - 1..margin + 3 {
            let found = solver.are_at_least(&[*position], least, 1, Limits::default());
            assert_eq!(
                found.unwrap(),
                [margin >= least],
                "at least {least}, {position:?}"
            );
        }
        if !position.is_over(variant) {
            let (_, best) = minimax_moves(variant, position, MOST_PLIES);
            assert_eq!(found.best_moves().collect::<Vec<_>>(), best);
            let alone = solver.best_moves(position, Limits::default()).unwrap();
            assert_eq!(alone.iter().collect::<Vec<_>>(), best);
        }
    }
    small.len()
}

#[test]
fn margins_are_those_of_plain_minimax() {
    let mut rng = SplitMix64::new(3);
    let mut checked = 0;
    for text in BOARDS {
        let board = Board::from_text(text).unwrap();
        for opening in Opening::ALL {
            for copies in [1, 2, 3, 4, 16] {
                let variant = Variant::new(board.clone(), opening, copies).unwrap();
                let solver = Solver::with_table(&variant, 1 << 16).unwrap();
                for _ in 0..5 {
                    checked += check_ending(&solver, &variant, &random_game(&variant, &mut rng));
                }
            }
        }
    }
    assert!(checked >= 5_000, "{checked} endings are not enough");
}

#[test]
fn margins_are_at_least_what_they_are() {
    let variant = Variant::default();
    let solver = Solver::new(&variant);
    let mut rng = SplitMix64::new(14);
    let late = |position: &Position| position.occupied().len() >= 8 && !position.is_over(&variant);
    let positions: Vec<Position> = (0..20)
        .filter_map(|_| random_game(&variant, &mut rng).into_iter().find(late))
        .collect();
    assert!(positions.len() > 10);
    let margins = solver.margins(&positions, 2, Limits::default()).unwrap();
    let margin = |position| Solver::new(&variant).margin(position, Limits::default());
    let one_by_one: Result<Vec<i32>, _> = positions.iter().map(margin).collect();
    assert_eq!(Ok(&margins), one_by_one.as_ref());
    for bound in [-2, 0, 1] {
        let found = solver.are_at_least(&positions, bound, 2, Limits::default());
        let expected: Vec<bool> = margins.iter().map(|&margin| margin >= bound).collect();
        assert_eq!(found, Ok(expected));
    }
}

#[test]
fn an_ending_may_be_reached_with_other_hands() {
    // Two of the children fill the same cells. After one of them a player holds at most three of
    // each type, after the other four of one.
    let board = "########\n########\n########\n########\n########";
    let variant = Variant::new(Board::from_text(board).unwrap(), Opening::Anywhere, 4).unwrap();
    let text = "p.sspP.l/..p.L.../.lDLLdLp/..dDDs../l..lPdPP d1 28";
    let position = parse_position(&variant, text).unwrap();
    let found = solve(&Solver::with_table(&variant, 1 << 20).unwrap(), &position);
    assert!(!found.moves.is_empty());
    for &(mv, margin) in &found.moves {
        let child = position.play(&variant, mv).unwrap();
        let solver = Solver::with_table(&variant, 1 << 20).unwrap();
        let alone = solver.margin(&child, Limits::default());
        assert_eq!(alone, Ok(-margin), "{mv:?}");
    }
}

/// Games that are solved below; 100,000 have a million positions.
fn wanted_games() -> usize {
    let games = env::var("MIJNLIEFF_SOLVED_GAMES").ok();
    games.map_or(200, |games| games.parse().unwrap())
}

#[test]
fn a_position_is_worth_its_best_move() {
    let variant = Variant::default();
    let (solver, other) = (Solver::new(&variant), Solver::new(&variant));
    let mut rng = SplitMix64::new(5);
    for _ in 0..wanted_games() {
        for position in &random_game(&variant, &mut rng)[5..] {
            let found = solve(&solver, position);
            let best = found.moves.iter().map(|&(_, margin)| margin).max();
            assert_eq!(best.unwrap_or(found.margin), found.margin);
            for solver in [&solver, &other] {
                assert_eq!(solver.margin(position, Limits::default()), Ok(found.margin));
                for &(mv, margin) in &found.moves {
                    let child = position.play(&variant, mv).unwrap();
                    assert_eq!(solver.margin(&child, Limits::default()), Ok(-margin));
                }
            }
        }
    }
}

/// The position with every stone and the last turn moved by a symmetry of the board.
fn image(variant: &Variant, position: &Position, number: usize) -> Position {
    let symmetry = &variant.board().symmetries()[number];
    let mut stones = vec![None; variant.board().num_cells()];
    for cell in variant.board().all() {
        stones[symmetry.cell(cell).index()] = position.stone_at(cell);
    }
    let last = position.last_move().map(|mv| games::image(symmetry, mv));
    Position::from_stones(variant, &stones, last, position.ply()).unwrap()
}

#[test]
fn symmetric_positions_are_worth_the_same() {
    let variant = Variant::default();
    let (one, other) = (Solver::new(&variant), Solver::new(&variant));
    let mut rng = SplitMix64::new(6);
    for _ in 0..30 {
        for position in &random_game(&variant, &mut rng)[6..] {
            let margin = solve(&one, position).margin;
            for number in 1..8 {
                assert_eq!(
                    solve(&other, &image(&variant, position, number)).margin,
                    margin
                );
            }
        }
    }
}

/// The solutions of many positions, in their order.
pub(super) fn solve_all(
    solver: &Solver,
    positions: &[Position],
    num_threads: usize,
    limits: Limits<'_>,
) -> Result<Vec<Solution>, (usize, Box<Unsolved>)> {
    let mut all = vec![None; positions.len()];
    let put = |place: &mut Option<Solution>, solution| *place = Some(solution);
    solver.solve_each(positions, all.iter_mut(), num_threads, limits, put)?;
    Ok(all.into_iter().map(Option::unwrap).collect())
}

#[test]
fn the_table_size_does_not_matter() {
    let variant = Variant::default();
    let small = Solver::with_table(&variant, 1 << 10).unwrap();
    let large = Solver::new(&variant);
    let mut rng = SplitMix64::new(7);
    let positions: Vec<Position> = (0..100)
        .flat_map(|_| random_game(&variant, &mut rng).split_off(6))
        .collect();
    let margins = |solver: &Solver, threads| -> Vec<(i32, Vec<(Move, i32)>)> {
        let solved = solve_all(solver, &positions, threads, Limits::default());
        solved
            .unwrap()
            .into_iter()
            .map(|found| (found.margin, found.moves))
            .collect()
    };
    assert_eq!(margins(&small, 1), margins(&large, 2));
}

#[test]
fn a_solver_that_may_keep_nothing_gives_the_same_margins() {
    let mut rng = SplitMix64::new(8);
    for (text, copies) in [(BOARDS[0], 2), (BOARDS[1], 4), (BOARDS[5], 1)] {
        let board = Board::from_text(text).unwrap();
        let variant = Variant::new(board, Opening::Outside, copies).unwrap();
        let whole = Solver::new(&variant);
        let few = Solver::within(&variant, 1 << 18).unwrap();
        assert_eq!(few.table_bytes(), 0);
        let kept = Solver::within(&variant, 1 << 19).unwrap();
        assert_eq!(kept.table_bytes() == 0, copies > 3);
        assert!(kept.table_bytes() <= 1 << 18);
        for _ in 0..3 {
            let game = random_game(&variant, &mut rng);
            for position in &game[game.len().saturating_sub(9)..] {
                let expected = solve(&whole, position);
                for solver in [&few, &kept] {
                    let found = solve(solver, position);
                    assert_eq!(found.margin, expected.margin);
                    assert_eq!(found.moves, expected.moves);
                }
            }
        }
    }
}

#[test]
fn the_standard_game_is_won_by_dark_and_anywhere_by_light() {
    let variant = Variant::new(Board::default(), Opening::Anywhere, 2).unwrap();
    let solver = Solver::new(&variant);
    // By cell (corner, edge, center) and piece, for Light.
    let known = [[-1, -2, -1, -1], [-1, -1, -1, -1], [0, -1, 1, -1]];
    for (cell, margins) in [0, 1, 5].into_iter().zip(known) {
        for (piece, margin) in Piece::ALL.into_iter().zip(margins) {
            let mv = Move::Place {
                piece,
                cell: Cell::new(cell),
            };
            let child = Position::new(&variant).play(&variant, mv).unwrap();
            assert_eq!(
                solver.margin(&child, Limits::default()),
                Ok(-margin),
                "{mv:?}"
            );
        }
    }
    // The first move of each opening rule is a choice among these.
    for (opening, margin) in Opening::ALL.into_iter().zip([-1, -1, -1, 1]) {
        let variant = Variant::new(Board::default(), opening, 2).unwrap();
        let solver = &solver;
        let first = Position::new(&variant);
        let children = first.legal_moves(&variant).into_iter().map(|mv| {
            let child = first.play(&variant, mv).unwrap();
            -solver.margin(&child, Limits::default()).unwrap()
        });
        assert_eq!(children.max(), Some(margin), "{opening:?}");
    }
}

#[test]
fn limits_end_a_search_with_proven_bounds() {
    let variant = Variant::default();
    let solver = Solver::new(&variant);
    let start = Position::new(&variant);
    let stop = AtomicBool::new(true);
    let late = Some(Instant::now());
    let cases = [
        (Limits::stopped_by(&stop), Halt::Stopped),
        (
            Limits {
                max_nodes: Some(5_000),
                ..Limits::default()
            },
            Halt::NodeLimit { max_nodes: 5_000 },
        ),
        (
            Limits {
                deadline: late,
                ..Limits::default()
            },
            Halt::TimeLimit,
        ),
    ];
    for (limits, halt) in cases {
        let unsolved = solver.solve(&start, limits).unwrap_err();
        assert_eq!(unsolved.halt, halt);
        assert!(unsolved.bounds.lower <= -1 && -1 <= unsolved.bounds.upper);
        assert_eq!(unsolved.moves.len(), 48);
        assert_eq!(solver.margin(&start, limits).unwrap_err().0, halt);
        let (number, _) = solve_all(&solver, &[start; 3], 2, limits).unwrap_err();
        assert!(number < 3);
    }
    let large = Variant::new(
        Board::from_blocks(&[(0, 0), (2, 0), (4, 0), (6, 0), (0, 2), (2, 2)]).unwrap(),
        Opening::Outside,
        2,
    )
    .unwrap();
    let deadline = Some(Instant::now() + Duration::from_millis(20));
    let limits = Limits {
        deadline,
        ..Limits::default()
    };
    let unsolved = Solver::new(&large)
        .solve(&Position::new(&large), limits)
        .unwrap_err();
    assert_eq!(unsolved.halt, Halt::TimeLimit);
    assert!(unsolved.bounds.lower <= unsolved.bounds.upper);
}

#[test]
fn canonical_positions_are_as_many_as_known() {
    let variant = Variant::default();
    let counts = canonical_counts(&variant, 4, Limits::default());
    assert_eq!(counts, Ok(vec![1, 8, 156, 3_330, 62_593]));
    let stop = AtomicBool::new(true);
    let stopped = canonical_counts(&variant, 4, Limits::stopped_by(&stop));
    assert_eq!(stopped, Err(Halt::Stopped));
}

#[test]
fn the_book_is_read_and_knows_early_positions_only() {
    let file = include_bytes!("../../python/mijnlieff/data/book.bin");
    assert!(file.len() <= 4_000_000);
    let book = Arc::new(Book::parse(file).unwrap());
    let shown = format!("{book:?}");
    assert!(
        shown.starts_with("Book(") && shown.ends_with(" positions)"),
        "{shown}"
    );
    let length = file.len() as u64;
    assert!(matches!(
        Book::parse(&file[..100]),
        Err(BookError::File(FileError::Length { found: 100, expected, .. })) if expected == length
    ));
    let variant = Variant::default();
    let solver = Solver::new(&variant);
    let with_book = Solver::new(&variant).with_book(Arc::clone(&book));
    let mut rng = SplitMix64::new(8);
    for _ in 0..60 {
        for position in random_game(&variant, &mut rng) {
            let stones = position.occupied().len();
            let listed = (1..=Book::STONES).contains(&stones) && !position.must_pass(&variant);
            let margin = book.margin(&position);
            assert_eq!(margin.is_some(), listed, "{position:?}");
            if stones < Book::STONES {
                // Forced passes included, nothing is left to search.
                assert_eq!(solve(&with_book, &position).nodes, 0, "{position:?}");
            }
            if stones == Book::STONES && listed {
                assert_eq!(solver.margin(&position, Limits::default()).ok(), margin);
            }
        }
    }
}

#[test]
fn the_book_is_about_the_standard_board_and_pieces_whatever_the_opening() {
    for opening in Opening::ALL {
        let variant = |board, copies| Variant::new(board, opening, copies).unwrap();
        assert!(Book::serves(&variant(Board::default(), 2)));
        assert!(!Book::serves(&variant(Board::default(), 3)));
        let row = Board::from_text("########\n########").unwrap();
        assert!(!Book::serves(&variant(row, 2)));
    }
}

/// The one of the website too.
#[test]
fn a_shorter_book_knows_the_positions_of_few_stones() {
    let file = include_bytes!("../../python/mijnlieff/data/book.bin");
    let short = include_bytes!("../../web/book.bin");
    assert_eq!(shorten_book(file, 3).unwrap(), short);
    let (book, short) = (Book::parse(file).unwrap(), Book::parse(short).unwrap());
    assert_eq!((book.stones(), short.stones()), (Book::STONES, 3));
    let variant = Variant::default();
    let short = Arc::new(short);
    let solver = Solver::new(&variant).with_book(Arc::clone(&short));
    let mut rng = SplitMix64::new(9);
    for _ in 0..60 {
        for position in random_game(&variant, &mut rng) {
            let few = position.occupied().len() <= 3;
            let expected = book.margin(&position).filter(|_| few);
            assert_eq!(short.margin(&position), expected, "{position:?}");
            assert_eq!(solver.knows_moves(&position), position.occupied().len() < 3);
        }
    }
}

#[test]
fn each_position_of_a_batch_has_its_own_nodes() {
    let variant = Variant::default();
    let position = opening(&variant, 6, 1).unwrap();
    let alone = solve(&Solver::new(&variant), &position).nodes;
    assert!(alone > 100, "{alone} nodes are not a search");
    let solver = Solver::new(&variant);
    let solutions = solve_all(&solver, &[position; 3], 1, Limits::default());
    let nodes: Vec<u64> = solutions.unwrap().iter().map(|it| it.nodes).collect();
    assert_eq!(nodes[0], alone);
    // The others are in the table.
    assert!(nodes[1] < alone && nodes[2] < alone, "{nodes:?}");
}

#[test]
fn a_solver_serves_the_variants_of_its_board_and_copies() {
    let variant = |text: &str| text.parse::<Variant>().unwrap();
    let solver = Solver::new(&variant("###/### anywhere 1"));
    assert!(solver.serves(&variant("###/### anywhere 1")));
    for other in [
        variant("##/##/## anywhere 1"),
        variant("###/### anywhere 2"),
        variant("###/### corner_straight 1"),
    ] {
        assert!(!solver.serves(&other), "{other:?}");
    }
}
