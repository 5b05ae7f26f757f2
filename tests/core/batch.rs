//! A batch with the memory that it writes into.

use mijnlieff::encode::Layout;
use mijnlieff::game::{Position, Variant};
use mijnlieff::vector::{
    BatchEnv, Buffers, Config, Ending, Observations, Seeds, StepError, View, batch_env,
};

pub(super) struct Batch {
    pub(super) env: Box<dyn BatchEnv>,
    layout: Layout,
    pub(super) floats: Vec<f32>,
    pub(super) bytes: Vec<u8>,
    pub(super) masks: Vec<i8>,
    to_play: Vec<i8>,
    pub(super) rewards: Vec<f32>,
    ended: Vec<bool>,
}

impl Batch {
    pub(super) fn of(env: Box<dyn BatchEnv>, layout: Layout) -> Self {
        let (games, variants) = (env.num_envs(), &env.config().variants);
        let length = games * variants.observation_len(layout);
        let actions = games * variants.num_actions();
        Self {
            env,
            layout,
            floats: vec![9.0; length],
            bytes: vec![9; length],
            masks: vec![9; actions],
            to_play: vec![9; games],
            rewards: vec![9.0; games],
            ended: vec![true; games],
        }
    }

    pub(super) fn new(config: &Config, layout: Layout, games: usize, threads: usize) -> Self {
        let env = batch_env(config.clone(), layout, games, threads);
        Self::of(env.unwrap(), layout)
    }

    pub(super) fn started(
        config: &Config,
        layout: Layout,
        games: usize,
        threads: usize,
        seed: u64,
    ) -> Self {
        let mut batch = Self::new(config, layout, games, threads);
        batch.env.reset(Seeds::From(seed), None).unwrap();
        batch
    }

    pub(super) fn step(
        &mut self,
        actions: &[i64],
        is_uint8: bool,
    ) -> Result<Vec<Ending>, StepError> {
        let observations = if is_uint8 {
            Observations::Uint8(self.layout, &mut self.bytes)
        } else {
            Observations::Float32(self.layout, &mut self.floats)
        };
        let buffers = Buffers {
            view: View {
                observations,
                action_mask: &mut self.masks,
                to_play: &mut self.to_play,
            },
            rewards: &mut self.rewards,
            terminations: &mut self.ended,
        };
        self.env.step(actions, buffers).map(<[Ending]>::to_vec)
    }

    pub(super) fn sample(&mut self) -> Vec<i64> {
        let mut actions = vec![-1; self.env.num_envs()];
        self.env.sample_actions(&mut actions);
        actions
    }

    /// What the steps have written about a game, with the observation as floats.
    pub(super) fn row(&self, game: usize) -> (&[f32], &[i8], i8, f32, bool) {
        let features = self.floats.len() / self.ended.len();
        let actions = self.masks.len() / self.ended.len();
        (
            &self.floats[game * features..][..features],
            &self.masks[game * actions..][..actions],
            self.to_play[game],
            self.rewards[game],
            self.ended[game],
        )
    }

    pub(super) fn assert_wrote_the_same(&self, other: &Self) {
        assert_eq!(self.floats, other.floats);
        assert_eq!(self.masks, other.masks);
        assert_eq!(self.to_play, other.to_play);
        assert_eq!(self.rewards, other.rewards);
        assert_eq!(self.ended, other.ended);
    }

    pub(super) fn assert_has_the_same_games(&self, other: &Self) {
        let [ours, theirs] = [self, other].map(|batch| batch.env.save().unwrap());
        assert_eq!(ours, theirs);
        let variants = &self.env.config().variants;
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_same(&ours.position, &theirs.position, variants.get(ours.variant));
        }
    }
}

/// Positions that are equal may differ in how they came about.
pub(super) fn assert_same(one: &Position, other: &Position, variant: &Variant) {
    assert_eq!(one, other);
    assert_eq!(one.ply(), other.ply());
    assert_eq!(one.last_move(), other.last_move());
    for cell in variant.board().all() {
        assert_eq!(one.stone_at(cell), other.stone_at(cell));
    }
}
