//! Batches that search for long, and rollouts, can be stopped.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mijnlieff::encode::Layout;
use mijnlieff::game::{Position, Variant};
use mijnlieff::policy::Policy;
use mijnlieff::search::{Depth, Halt, Limits};
use mijnlieff::vector::{BatchEnv, Config, Opponent, Seat, Seeds, batch_env, rollout};

#[test]
fn a_step_of_many_games_can_be_stopped_unless_nothing_is_searched() {
    let batch = |policy, games| {
        let config = Config {
            opponent: Opponent::Policy(policy),
            seat: Seat::Dark,
            ..Config::new(Arc::default())
        };
        batch_env(config, Layout::Packed, games, 1).unwrap()
    };
    let first_moves = |env: &dyn BatchEnv| -> HashSet<_> {
        let some = (0..64).map(|game| env.position(game));
        some.map(|position| position.last_move()).collect()
    };
    for policy in [Policy::Greedy, Policy::Minimax(Depth::new(1).unwrap())] {
        assert!(!batch(policy.clone(), 1 << 10).searches_long());
        let mut env = batch(policy, 1 << 18);
        assert!(env.searches_long());
        env.reset(Seeds::From(0), None).unwrap();
        assert!(first_moves(&*env).len() > 10);
        // The first legal action takes the place of a search that is stopped.
        env.stop_flag().store(true, Ordering::Relaxed);
        env.reset(Seeds::From(0), None).unwrap();
        assert_eq!(first_moves(&*env).len(), 1);
    }
    assert!(!batch(Policy::Random, 1 << 18).searches_long());
}

#[test]
fn rollouts_can_be_stopped() {
    let variant: Arc<Variant> = Arc::default();
    let starts = [Position::new(&variant)];
    let stop = AtomicBool::new(true);
    let stopped = rollout(&variant, &starts, 10, 0, 1, Limits::stopped_by(&stop));
    assert_eq!(stopped, Err(Halt::Stopped));
}
