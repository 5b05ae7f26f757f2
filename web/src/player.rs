//! The players of the levels, and exact values.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, LazyLock};

use mijnlieff::encode::move_of;
use mijnlieff::game::{Move, Position, Variant};
use mijnlieff::network::{Choice, Network, NetworkError};
use mijnlieff::policy::{Epsilon, Perfect, Policy};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::solver::{Book, Solver};
use mijnlieff::search::{Depth, Limits};
use mijnlieff::self_play::choose_by_search;
use mijnlieff::tree_search::{Backup, Root, TreeConfig};

type Failure = Box<dyn Error>;

/// The memory of the solver's table.
const TABLE_BYTES: usize = 32 << 20;

/// Positions of up to 3 stones, which take long to solve (`tools/data/shorten_book.rs`).
static BOOK: LazyLock<Arc<Book>> = LazyLock::new(|| {
    Arc::new(Book::parse(include_bytes!("../book.bin")).expect("the book is whole"))
});

/// The settings with which `mijnlieff.ChampionPolicy` searches.
const CHAMPION: TreeConfig = TreeConfig {
    num_simulations: 64,
    root: Root::Gumbel {
        max_considered: 16,
        c_visit: 50.0,
        c_scale: 0.5,
        backup: Backup::Mean,
    },
    temperature: 0.0,
    margin_weight: 0.75,
    solve_roots_below: 9,
    solve_leaves_below: 9,
    seed: 0,
};

/// A network, and the solver of the variant that was asked about last.
#[derive(Default)]
pub struct Players {
    network: Option<Network>,
    solver: Option<Arc<Solver>>,
}

impl Players {
    /// Takes the file of the champion's network.
    pub fn take_network(&mut self, file: &[u8]) -> Result<(), NetworkError> {
        self.network = Some(Network::parse(file)?);
        Ok(())
    }

    /// The margin after each legal move, for the side to move.
    pub fn margins(
        &mut self,
        variant: &Variant,
        position: &Position,
    ) -> Result<Vec<(Move, i32)>, Failure> {
        let solver = self.solver(variant)?;
        if position.ply() > 0 {
            let solved = solver.solve(position, Limits::default());
            return Ok(solved.map_err(|unsolved| unsolved.halt)?.moves);
        }
        // On other boards the start takes long: of moves that are alike on the board one is solved.
        let symmetries = variant.board().symmetries();
        let mut known = HashMap::new();
        let margins = position.legal_moves(variant).into_iter().map(|mv| {
            let kind = match mv {
                Move::Place { piece, cell } => {
                    Some((piece, symmetries.iter().map(|it| it.cell(cell)).min()))
                }
                Move::Pass => None,
            };
            if let Some(&margin) = known.get(&kind) {
                return Ok((mv, margin));
            }
            let next = position.play_unchecked(variant, mv);
            let margin = -solver
                .margin(&next, Limits::default())
                .map_err(|(halt, _)| halt)?;
            known.insert(kind, margin);
            Ok((mv, margin))
        });
        margins.collect()
    }

    /// The move of a player: the decision of this number in a game.
    pub fn choose(
        &mut self,
        name: &str,
        variant: &Arc<Variant>,
        position: &Position,
        seed: u64,
        decision: u64,
    ) -> Result<Move, Failure> {
        let (kind, argument) = name.split_once(':').unwrap_or((name, ""));
        let policy = match kind {
            "random" => Policy::Random,
            "greedy" => Policy::Greedy,
            "minimax" => Policy::Minimax(Depth::new(argument.parse()?)?),
            "perfect" if position.ply() == 0 => {
                let margins = self.margins(variant, position)?;
                let best = margins.iter().map(|&(_, margin)| margin).max();
                let best = margins.iter().filter(|&&(_, margin)| Some(margin) == best);
                let best: Vec<_> = best.map(|&(mv, _)| mv).collect();
                let number = SplitMix64::stream(seed, decision).below(best.len() as u64);
                return Ok(best[number as usize]);
            }
            "perfect" => {
                let solvers = vec![self.solver(variant)?];
                Policy::Perfect(Perfect::new(solvers, Epsilon::ZERO))
            }
            "champion" => return self.champion(argument, variant, position, seed, decision),
            _ => return Err(format!("there is no player {name:?} on this page").into()),
        };
        let mut rng = SplitMix64::stream(seed, decision);
        Ok(policy.choose(variant, position, &mut rng))
    }

    fn champion(
        &mut self,
        simulations: &str,
        variant: &Arc<Variant>,
        position: &Position,
        seed: u64,
        decision: u64,
    ) -> Result<Move, Failure> {
        let solver = self.solver(variant)?;
        let network = self
            .network
            .as_ref()
            .ok_or("the champion's network is not loaded")?;
        let network = network.on(variant)?;
        let limits = Limits::default();
        let action = if simulations.is_empty() {
            let choice = Choice {
                temperature: 0.0,
                seed,
                first: decision,
            };
            network.choose(variant, &[(0, *position)], choice, 1, limits)?[0]
        } else {
            let config = TreeConfig {
                num_simulations: simulations.parse()?,
                seed: seed.wrapping_add(decision),
                ..CHAMPION
            };
            choose_by_search(&network, variant, *position, config, solver, limits)?
        };
        move_of(variant, action).ok_or_else(|| "there is no such action".into())
    }

    fn solver(&mut self, variant: &Variant) -> Result<Arc<Solver>, Failure> {
        match &self.solver {
            Some(solver) if solver.serves(variant) => Ok(Arc::clone(solver)),
            _ => {
                let solver = Solver::with_table(variant, TABLE_BYTES)?;
                let solver = Arc::new(solver.with_book(Arc::clone(&BOOK)));
                self.solver = Some(Arc::clone(&solver));
                Ok(solver)
            }
        }
    }
}
