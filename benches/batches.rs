//! Batches of boards of many sizes with the memory that they write into.

use std::sync::Arc;

use mijnlieff::encode::{Canvas, Layout, VariantSet};
use mijnlieff::game::{Board, Opening, Variant};
use mijnlieff::vector::{
    BatchEnv, Buffers, Config, Observations, Seeds, View, batch_env, wide_batch_env,
};

/// The boards, the standard one first. On the last two, boards of four blocks lie on a common canvas:
/// one of them, and all.
pub(crate) const BOARDS: [&str; 8] = [
    "standard",
    "16x4",
    "20",
    "irregular",
    "32",
    "64",
    "on_canvas",
    "mixed",
];

/// A batch that has been reset.
pub(crate) struct Batch {
    pub(crate) env: Box<dyn BatchEnv>,
    kind: &'static str,
    floats: Vec<f32>,
    bytes: Vec<u8>,
    words: Vec<u64>,
    mask: Vec<i8>,
    to_play: Vec<i8>,
    rewards: Vec<f32>,
    ended: Vec<bool>,
    pub(crate) actions: Vec<i64>,
}

/// The variants of a board.
pub(crate) fn variants(board: &str) -> VariantSet {
    let text = |text: &str, copies| {
        let board = Board::from_text(text).unwrap();
        let variant = Variant::new(board, Opening::default(), copies).unwrap();
        VariantSet::one(Arc::new(variant))
    };
    let full = |width: usize, height: usize, copies| {
        text(&format!("{}\n", "#".repeat(width)).repeat(height), copies)
    };
    match board {
        "standard" => full(4, 4, 2),
        "16x4" => full(4, 4, 4),
        "20" => full(4, 5, 2),
        "blocks" => {
            let blocks = [(0, 0), (2, 0), (4, 0), (1, 2), (3, 3)];
            let board = Board::from_blocks(&blocks).unwrap();
            VariantSet::one(Arc::new(Variant::new(board, Opening::Outside, 2).unwrap()))
        }
        "irregular" => text("..####\n..####\n####..\n####..\n..##..\n..##..", 3),
        "32" => full(8, 4, 4),
        "64" => full(8, 8, 8),
        _ => {
            let all = Board::arrangements(4, false)
                .into_iter()
                .map(|board| Arc::new(Variant::new(board, Opening::default(), 2).unwrap()));
            let mut all: Vec<Arc<Variant>> = all.collect();
            let canvas = Canvas::around(all.iter().map(|it| &**it)).unwrap();
            if board == "on_canvas" {
                all = vec![all[all.len() / 2].clone()];
            }
            VariantSet::on_canvas(all, canvas).unwrap()
        }
    }
}

impl Batch {
    /// In the form that the board has, or with `is_wide` in the one for any board.
    pub(crate) fn new(
        variants: VariantSet,
        kind: &'static str,
        games: usize,
        is_wide: bool,
    ) -> Self {
        let layout = layout(kind);
        let length = games * variants.observation_len(layout);
        let mask = games * variants.num_actions();
        let config = Config::of(variants);
        let env = if is_wide {
            wide_batch_env(config, games, 1)
        } else {
            batch_env(config, layout, games, 1)
        };
        let mut env = env.unwrap();
        env.reset(Seeds::From(0), None).unwrap();
        Self {
            env,
            kind,
            floats: vec![0.0; length],
            bytes: vec![0; length],
            words: vec![0; games],
            mask: vec![0; mask],
            to_play: vec![0; games],
            rewards: vec![0.0; games],
            ended: vec![false; games],
            actions: vec![0; games],
        }
    }

    /// The bytes of an observation and a mask.
    pub(crate) fn row_bytes(&self) -> usize {
        let games = self.actions.len();
        let observation = match self.kind {
            "flat" | "planes" => 4 * self.floats.len() / games,
            "uint8" | "planes8" => self.bytes.len() / games,
            _ => 8,
        };
        observation + self.mask.len() / games
    }

    pub(crate) fn sample(&mut self) {
        self.env.sample_actions(&mut self.actions);
    }

    /// Plays the actions that were sampled.
    pub(crate) fn step(&mut self) {
        let layout = layout(self.kind);
        let observations = match self.kind {
            "flat" | "planes" => Observations::Float32(layout, &mut self.floats),
            "uint8" | "planes8" => Observations::Uint8(layout, &mut self.bytes),
            _ => Observations::Packed(&mut self.words),
        };
        let buffers = Buffers {
            view: View {
                observations,
                action_mask: &mut self.mask,
                to_play: &mut self.to_play,
            },
            rewards: &mut self.rewards,
            terminations: &mut self.ended,
        };
        self.env.step(&self.actions, buffers).unwrap();
    }
}

fn layout(kind: &str) -> Layout {
    match kind {
        "flat" | "uint8" => Layout::Flat,
        "planes" | "planes8" => Layout::Planes,
        _ => Layout::Packed,
    }
}
