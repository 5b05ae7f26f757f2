//! A game of a batch written plainly, from the rules and the descriptions of the options: what the
//! fast representations are compared with.

use mijnlieff::encode::Layout;
use mijnlieff::game::{Move, Player, Position, Variant};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::vector::{Autoreset, Config, Ending, Opponent, Reward, Seat};

/// One game with its streams. The variants of the settings are equally likely.
pub(crate) struct PlainGame<'a> {
    config: &'a Config,
    pub(crate) index: usize,
    pub(crate) position: Position,
    pub(crate) streams: [SplitMix64; 2],
    seat: Player,
    pub(crate) over: bool,
}

impl<'a> PlainGame<'a> {
    /// A game that has been seeded and reset.
    pub(crate) fn new(config: &'a Config, seed: u64) -> Self {
        let mut game = Self {
            config,
            index: 0,
            position: Position::new(config.variants.get(0)),
            streams: [0, 1].map(|number| SplitMix64::stream(seed, number)),
            seat: Player::Light,
            over: true,
        };
        game.reset();
        game
    }

    pub(crate) fn variant(&self) -> &'a Variant {
        self.config.variants.get(self.index)
    }

    fn has_opponent(&self) -> bool {
        self.config.opponent != Opponent::SelfPlay
    }

    pub(crate) fn reset(&mut self) {
        loop {
            self.start();
            let asks_always = !self.has_opponent() && !self.config.auto_pass;
            if asks_always || self.reach_agent(true) {
                return;
            }
        }
    }

    fn start(&mut self) {
        let env = &mut self.streams[0];
        let count = self.config.variants.all().len();
        self.index = match count {
            1 => 0,
            _ => env.below(count as u64) as usize,
        };
        self.over = false;
        if self.config.opponent != Opponent::SelfPlay {
            self.seat = match self.config.seat {
                Seat::Light => Player::Light,
                Seat::Dark => Player::Dark,
                Seat::Random => Player::ALL[env.below(2) as usize],
            };
        }
        let variant = self.config.variants.get(self.index);
        self.position = Position::new(variant);
        let most = self.config.random_plies as u64;
        let plies = if most > 0 { env.below(most + 1) } else { 0 };
        for _ in 0..plies {
            let moves = self.position.legal_moves(variant);
            let mv = moves[env.below(moves.len() as u64) as usize];
            let next = self.position.play(variant, mv).unwrap();
            if next.is_over(variant) {
                break;
            }
            self.position = next;
        }
    }

    /// Plays until the agent is to act. Returns whether it is; else the game is over.
    fn reach_agent(&mut self, is_fresh: bool) -> bool {
        let variant = self.variant();
        while !self.position.is_over(variant) {
            let is_agent = !self.has_opponent() || self.position.side_to_move() == self.seat;
            if self.position.must_pass(variant) && (!is_agent || self.config.auto_pass) {
                let passed = self.position.play(variant, Move::Pass).unwrap();
                if is_fresh && is_agent && passed.is_over(variant) {
                    return true;
                }
                self.position = passed;
                continue;
            }
            if is_agent {
                return true;
            }
            let Opponent::Policy(policy) = &self.config.opponent else {
                panic!("an opponent that the batch does not play");
            };
            let mv = policy.choose(variant, &self.position, &mut self.streams[0]);
            self.position = self.position.play(variant, mv).unwrap();
        }
        false
    }

    /// A random action, as a batch samples it.
    pub(crate) fn sample(&mut self) -> i64 {
        let moves = self.position.legal_moves(self.variant());
        let rank = self.streams[1].below(moves.len().max(1) as u64) as usize;
        let action = if self.over {
            self.config.variants.pass_action()
        } else {
            self.config.variants.of(self.index).action_of(moves[rank])
        };
        action as i64
    }

    /// Plays an action; an illegal one loses. Returns how the game ended and its last position, if it
    /// did.
    pub(crate) fn step(&mut self, action: i64) -> Option<(Ending, Position)> {
        if self.over {
            self.reset();
            return None;
        }
        if !self.has_opponent() {
            self.seat = self.position.side_to_move();
        }
        let action = usize::try_from(action).ok();
        let numbering = self.config.variants.of(self.index);
        let mv = action.and_then(|action| numbering.move_of(action));
        let next = mv.and_then(|mv| self.position.play(self.variant(), mv).ok());
        let illegal = next.is_none();
        if let Some(next) = next {
            self.position = next;
            if self.reach_agent(false) {
                return None;
            }
        }
        let end = (self.ending(illegal), self.position);
        if self.config.autoreset == Autoreset::SameStep {
            self.reset();
        } else {
            self.over = true;
        }
        Some(end)
    }

    fn ending(&self, illegal: bool) -> Ending {
        let score = self.position.score(self.variant());
        let [own, other] =
            [self.seat, self.seat.opponent()].map(|side| i32::from(score[side.index()]));
        let margin = if illegal { -1 } else { own - other };
        Ending {
            game: 0,
            variant: self.index as u16,
            score,
            winner: match margin.signum() {
                1 => Some(self.seat),
                -1 => Some(self.seat.opponent()),
                _ => None,
            },
            to_play: self.position.side_to_move(),
            illegal,
            reward: match self.config.reward {
                Reward::Outcome => margin.signum() as f32,
                Reward::Margin => margin as f32,
            },
        }
    }

    /// The mask that a batch writes.
    pub(crate) fn mask(&self) -> Vec<i8> {
        let numbering = self.config.variants.of(self.index);
        let mut mask = vec![9; numbering.num_actions()];
        numbering.write_mask(&self.position, &mut mask);
        if self.over {
            mask.fill(0);
            mask[numbering.pass_action()] = 1;
        }
        mask
    }

    pub(crate) fn observation(&self, layout: Layout) -> Vec<f32> {
        let numbering = self.config.variants.of(self.index);
        let mut row = vec![9.0; numbering.observation_len(layout)];
        numbering.observe(&self.position, layout, &mut row);
        row
    }

    pub(crate) fn byte_observation(&self, layout: Layout) -> Vec<u8> {
        let numbering = self.config.variants.of(self.index);
        let mut row = vec![9; numbering.observation_len(layout)];
        numbering.observe(&self.position, layout, &mut row);
        row
    }
}
