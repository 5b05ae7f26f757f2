//! The best-response search against plain enumeration.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mijnlieff::best_response::{
    BestResponse, BestResponseConfig, BestResponseError, BestResponseSearch,
};
use mijnlieff::encode::action_of;
use mijnlieff::game::{Move, Player, Position, Variant};
use mijnlieff::policy::{Policy, opening};
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Depth, Halt, Limits};

/// The moves that a policy may play.
fn possible(policy: &Policy, variant: &Variant, position: &Position) -> Vec<Move> {
    let moves = policy.probabilities(variant, position, Limits::default());
    moves.unwrap().into_iter().map(|(mv, _)| mv).collect()
}

fn search(
    policy: &Policy,
    variant: &Variant,
    starts: &[Position],
    config: BestResponseConfig,
    most: usize,
) -> Result<BestResponse, BestResponseError> {
    let solver = Arc::new(Solver::new(variant));
    let mut search = BestResponseSearch::new(variant, starts, solver, config)?;
    loop {
        let asked = search.ask(most, 2, Limits::default())?;
        assert!(asked.len() <= most);
        if asked.is_empty() {
            return search.finish(2, 1000, Limits::default());
        }
        let answers = asked.iter().map(|position| {
            let moves = possible(policy, variant, position).into_iter();
            moves.map(|mv| action_of(variant, mv)).collect::<Vec<_>>()
        });
        search.answer(answers)?;
    }
}

/// The least margin for a seat, with all moves of the opponent and the possible ones of the policy.
fn least(
    policy: &Policy,
    variant: &Variant,
    position: &Position,
    seat: Player,
    known: &mut HashMap<Position, i32>,
) -> i32 {
    if position.is_over(variant) {
        return position.margin_of(variant, seat);
    }
    if let Some(&margin) = known.get(position) {
        return margin;
    }
    let moves = if position.side_to_move() == seat {
        possible(policy, variant, position)
    } else {
        position.legal_moves(variant)
    };
    let after = moves.into_iter().map(|mv| {
        let next = position.play_unchecked(variant, mv);
        least(policy, variant, &next, seat, known)
    });
    let margin = after.min().unwrap();
    known.insert(*position, margin);
    margin
}

#[test]
fn guarantees_are_those_of_plain_enumeration() {
    let policies = [
        Policy::Random,
        Policy::Greedy,
        Policy::Minimax(Depth::new(2).unwrap()),
    ];
    for text in ["###/### outside 1", "##./###/.## corner 1"] {
        let variant: Variant = text.parse().unwrap();
        let starts = [0, 1, 2].map(|plies| opening(&variant, plies, 5).unwrap());
        for policy in &policies {
            for seat in Player::ALL {
                let config = BestResponseConfig::new(seat);
                let found = search(policy, &variant, &starts, config, 100).unwrap();
                let mut known = HashMap::new();
                let expected =
                    starts.map(|start| least(policy, &variant, &start, seat, &mut known));
                assert_eq!(found.margins, expected);
                // However the positions are cut into batches.
                assert_eq!(search(policy, &variant, &starts, config, 7), Ok(found));
            }
        }
    }
}

#[test]
fn what_cannot_be_searched_is_an_error() {
    let small: Variant = "###/### outside 1".parse().unwrap();
    let start = Position::new(&small);
    let config = BestResponseConfig {
        max_positions: 30,
        ..BestResponseConfig::new(Player::Dark)
    };
    let found = search(&Policy::Random, &small, &[start], config, 10);
    assert!(matches!(
        found,
        Err(BestResponseError::TooManyPositions {
            max_positions: 30,
            ..
        })
    ));

    let config = BestResponseConfig::new(Player::Dark);
    let solver = Arc::new(Solver::new(&small));
    let begin = || BestResponseSearch::new(&small, &[start], Arc::clone(&solver), config).unwrap();
    for action in [vec![], vec![1000], vec![0, 24]] {
        let mut search = begin();
        let asked = search.ask(1, 1, Limits::default()).unwrap();
        assert_eq!(asked.len(), 1);
        let answer = search.answer([action]);
        assert_eq!(answer, Err(BestResponseError::Illegal { number: 0 }));
    }
    let stopped = AtomicBool::new(true);
    let halted = begin().ask(10, 1, Limits::stopped_by(&stopped));
    assert_eq!(
        halted.unwrap_err(),
        BestResponseError::Halted(Halt::Stopped)
    );

    let large: Variant = "#####/#####/#####/##### outside 1".parse().unwrap();
    let solver = Arc::new(Solver::new(&large));
    let refused = BestResponseSearch::new(&large, &[Position::new(&large)], solver, config);
    assert_eq!(
        refused.unwrap_err(),
        BestResponseError::TooManyCells { cells: 20 }
    );
}
