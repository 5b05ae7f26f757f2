//! Makes a batch, of packed games where the boards allow it.

use super::batch::BatchEnv;
use super::config::Config;
use super::step::engine::GameEngine;
use super::step::packed_game::PackedGame;
use super::step::wide_game::WideGame;
use crate::encode::Layout;
use crate::memory::OutOfMemory;

/// A batch that must be reset, and should be seeded, before the first step.
///
/// Its games are packed if the boards fit (`PackedGame`). It can write observations of the `layout`
/// only, on a canvas those of [`Layout::Planes`].
///
/// # Errors
///
/// When memory does not suffice for the games or the tables of the variants.
///
/// # Panics
///
/// If `num_envs` is 0, the layout is not that of the canvas, or there are weights of other variants.
pub fn batch_env(
    config: Config,
    layout: Layout,
    num_envs: usize,
    num_threads: usize,
) -> Result<Box<dyn BatchEnv>, OutOfMemory> {
    assert_eq!(config.variants.check(layout), Ok(()));
    let count = config.variants.all().len();
    assert!(config.weights.fit(count));
    if PackedGame::fits_all(&config.variants, layout) {
        let engine = GameEngine::<PackedGame>::new(config, num_envs, num_threads)?;
        Ok(Box::new(engine))
    } else {
        wide_batch_env(config, num_envs, num_threads)
    }
}

/// The same of `WideGame`s, whatever the board; meant for comparisons.
///
/// # Errors
///
/// When memory does not suffice for the games.
///
/// # Panics
///
/// If `num_envs` is 0.
pub fn wide_batch_env(
    config: Config,
    num_envs: usize,
    num_threads: usize,
) -> Result<Box<dyn BatchEnv>, OutOfMemory> {
    let engine = GameEngine::<WideGame>::new(config, num_envs, num_threads)?;
    Ok(Box::new(engine))
}
