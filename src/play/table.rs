//! The state of a table, and how it changes.

use std::sync::Arc;

use thiserror::Error;

use super::exact::{Exact, Margins};
use super::levels::{LEVELS, NoPerfectPlay, Opponent};
use super::line::Line;
use crate::game::{Move, PlayError, Player, Position, Variant};
use crate::names::named;
use crate::random::{Draw, SplitMix64};

/// The longest error that is shown, in characters.
const LONGEST_ERROR: usize = 300;

named! {
    /// The side of the person.
    Seat as "seat" {
        /// Light.
        Light = "light",
        /// Dark.
        Dark = "dark",
        /// Both, without an opponent.
        Both = "both",
        /// Light or Dark, drawn for each new game.
        Drawn = "drawn",
    }
}

impl Seat {
    /// Whether the person plays this side; of a drawn seat nothing is known.
    #[must_use]
    pub const fn plays(self, player: Player) -> bool {
        match self {
            Self::Light => matches!(player, Player::Light),
            Self::Dark => matches!(player, Player::Dark),
            Self::Both => true,
            Self::Drawn => false,
        }
    }
}

named! {
    /// What exact play can show.
    Aid as "aid" {
        /// The margin of each move.
        Hints = "hints",
        /// The margin of the position.
        Evaluation = "evaluation",
        /// The points that moves gave away.
        Mistakes = "mistakes",
    }
}

/// A move that the person cannot play.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TurnError {
    /// The opponent is to move.
    #[error("it is the turn of {player:?}, whom {opponent} plays")]
    NotYours {
        /// Who is to move.
        player: Player,
        /// Who plays that side.
        opponent: String,
    },
    /// The rules do not allow it.
    #[error(transparent)]
    Play(#[from] PlayError),
}

/// What the opponent is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The variant.
    pub variant: &'a Arc<Variant>,
    /// Where it is to move.
    pub position: Position,
    /// The name of the policy that plays.
    pub opponent: &'a str,
    /// The number of the game at this table; each game has a new opponent.
    pub game: u64,
    /// For [`Table::answer`].
    pub version: u64,
}

/// A game, its players, and the exact values found so far.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) line: Line,
    pub(super) opponent: Opponent,
    /// The last one that the front end gave, which a page can choose again.
    pub(super) given: Opponent,
    /// Light, Dark or both.
    pub(super) seat: Seat,
    /// The seat that was asked for, which the next game has too: it may be a drawn one.
    pub(super) asked_seat: Seat,
    pub(super) aids: [bool; 3],
    pub(super) exact: Exact,
    pub(super) error: String,
    /// Whether the opponent has failed.
    pub(super) failed: bool,
    version: u64,
    pub(super) games: u64,
    seed: u64,
}

impl Table {
    /// A game that goes on where a line ends, whose moves can be taken back; the seed draws seats.
    #[must_use]
    pub fn new(line: Line, opponent: Opponent, seat: Seat, seed: u64) -> Self {
        let mut table = Self {
            line,
            given: opponent.clone(),
            opponent,
            seat,
            asked_seat: seat,
            aids: [false; 3],
            exact: Exact::default(),
            error: String::new(),
            failed: false,
            version: 0,
            games: 0,
            seed,
        };
        table.sit_down(seat);
        table
    }

    /// The game.
    #[must_use]
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// The opponent.
    #[must_use]
    pub fn opponent(&self) -> &Opponent {
        &self.opponent
    }

    /// The side of the person.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The seat that was asked for: that of the person, unless it was drawn.
    #[must_use]
    pub fn asked_seat(&self) -> Seat {
        self.asked_seat
    }

    /// The policies to choose from: those of the levels, and the one that the front end gave.
    #[must_use]
    pub fn choices(&self) -> Vec<&str> {
        let mut choices: Vec<_> = LEVELS.iter().map(|level| level.policy).collect();
        if !choices.contains(&self.given.choice.as_str()) {
            choices.push(&self.given.choice);
        }
        choices
    }

    /// Whether it is the person's turn.
    #[must_use]
    pub fn is_your_turn(&self) -> bool {
        let last = self.line.last();
        !last.is_over(self.line.variant()) && self.seat.plays(last.side_to_move())
    }

    /// Whether the opponent is to move and has not failed.
    #[must_use]
    pub fn is_thinking(&self) -> bool {
        let is_over = self.line.last().is_over(self.line.variant());
        !(is_over || self.is_your_turn() || self.failed)
    }

    /// Whether mistakes are marked: on request, and always in a finished game.
    #[must_use]
    pub fn marks_mistakes(&self) -> bool {
        self.shows(Aid::Mistakes) || self.line.last().is_over(self.line.variant())
    }

    /// Whether an aid is on.
    #[must_use]
    pub fn shows(&self, aid: Aid) -> bool {
        self.aids[aid as usize]
    }

    /// How many moves came before the last choice of the person, if there is one.
    #[must_use]
    pub fn last_choice(&self) -> Option<usize> {
        let players = Player::ALL.into_iter();
        let players: Vec<_> = players.filter(|&player| self.seat.plays(player)).collect();
        self.line.last_choice(&players)
    }

    /// Plays a move for the person.
    ///
    /// # Errors
    ///
    /// When it is the opponent's turn, or the move is illegal; nothing has changed.
    pub fn play(&mut self, mv: Move) -> Result<(), TurnError> {
        let last = self.line.last();
        if !last.is_over(self.line.variant()) && !self.is_your_turn() {
            return Err(TurnError::NotYours {
                player: last.side_to_move(),
                opponent: self.opponent.name.clone(),
            });
        }
        self.line.play(mv)?;
        self.renew();
        Ok(())
    }

    /// Takes back everything since the person's last choice; false if there is none.
    pub fn undo(&mut self) -> bool {
        let Some(length) = self.last_choice() else {
            return false;
        };
        self.line.cut(length);
        self.renew();
        true
    }

    /// Shows the position after so many moves; the game stays as it is.
    pub fn go(&mut self, shown: i64) {
        self.line.show(shown);
    }

    /// Takes back every move after the position that is shown.
    pub fn resume(&mut self) {
        self.line.cut(self.line.shown());
        self.renew();
    }

    /// Drops answers that are still on their way, and what is said of the opponent's failure.
    pub fn renew(&mut self) {
        self.version += 1;
        self.failed = false;
        self.error.clear();
    }

    /// Switches an aid on or off; once on, it tries again what could not be solved before.
    pub fn show(&mut self, aid: Aid, on: bool) {
        self.aids[aid as usize] = on;
        if on {
            self.exact.forget_failures();
        }
    }

    /// Starts a new game for the front end; a page can choose an opponent that is new here again.
    pub fn new_game(
        &mut self,
        variant: Arc<Variant>,
        start: Position,
        seat: Seat,
        opponent: Opponent,
    ) {
        // The one at the table may be a level that the page chose, which replaces none.
        if self.opponent.on(&variant).as_ref() != Ok(&opponent) {
            self.given = opponent.clone();
        }
        self.begin(variant, start, seat, opponent);
    }

    /// Starts a new game with an opponent from the [choices](Table::choices).
    pub(super) fn begin(
        &mut self,
        variant: Arc<Variant>,
        start: Position,
        seat: Seat,
        opponent: Opponent,
    ) {
        self.line = Line::new(variant, start);
        self.opponent = opponent;
        self.exact.forget_failures();
        self.sit_down(seat);
        self.renew();
    }

    /// Loads a game to step through, with its mistakes marked; the person plays both sides.
    ///
    /// # Errors
    ///
    /// When the opponent cannot play the variant, or a move is illegal; nothing has changed.
    pub fn load(&mut self, variant: Arc<Variant>, moves: &[Move]) -> Result<(), LoadError> {
        let opponent = self.opponent.on(&variant)?;
        let start = Position::new(&variant);
        let line = Line::with(variant, start, moves)?;
        (self.line, self.opponent) = (line, opponent);
        self.sit_down(Seat::Both);
        self.show(Aid::Mistakes, true);
        self.renew();
        Ok(())
    }

    /// Tells the person of an error, on one line and not too long for the page.
    pub fn complain(&mut self, error: &str) {
        let words: Vec<_> = error.split_whitespace().collect();
        self.error = words.join(" ");
        if let Some((end, _)) = self.error.char_indices().nth(LONGEST_ERROR) {
            self.error.truncate(end);
            self.error.pop();
            self.error.push('\u{2026}');
        }
    }

    /// What the opponent has to answer, if it is its turn.
    #[must_use]
    pub fn next_answer(&self) -> Option<Question<'_>> {
        self.is_thinking().then(|| Question {
            variant: self.line.variant(),
            position: *self.line.last(),
            opponent: &self.opponent.name,
            game: self.games,
            version: self.version,
        })
    }

    /// Plays the opponent's answer to the [question](Question) of this version, or tells of its failure;
    /// false if the game has changed since.
    pub fn answer(&mut self, version: u64, answer: Result<Move, &str>) -> bool {
        if version != self.version {
            return false;
        }
        let played = answer.and_then(|mv| self.line.play(mv).map_err(|_| "an illegal move"));
        if let Err(error) = played {
            self.failed = true;
            self.complain(&format!("{} failed: {error}", self.opponent.name));
        }
        true
    }

    /// The next position whose margins are wanted.
    ///
    /// Late positions are solved fast, and help to solve the earlier ones.
    #[must_use]
    pub fn next_solution(&self) -> Option<(&Arc<Variant>, Position)> {
        let (line, variant) = (&self.line, self.line.variant());
        let seen = self.shows(Aid::Hints) || self.shows(Aid::Evaluation);
        let shown = seen.then(|| line.position());
        let marked = self.marks_mistakes().then(|| line.positions());
        let marked = marked.into_iter().flatten().rev().skip(1);
        let mut wanted = shown.into_iter().chain(marked);
        let next = wanted.find(|position| self.exact.lacks(variant, position));
        next.map(|&position| (variant, position))
    }

    /// Takes the margin after each action of a position, or why it could not be solved.
    pub fn solved(
        &mut self,
        variant: &Arc<Variant>,
        position: Position,
        margins: Result<Vec<(usize, i32)>, &str>,
    ) {
        if let Err(error) = margins {
            self.complain(&format!("the position could not be solved: {error}"));
        }
        let margins = margins.ok().and_then(Margins::new);
        self.exact.keep(variant, position, margins);
    }

    fn sit_down(&mut self, seat: Seat) {
        self.asked_seat = seat;
        self.seat = match seat {
            Seat::Drawn => {
                let mut rng = SplitMix64::stream(self.seed, self.games);
                [Seat::Light, Seat::Dark][rng.below(2) as usize]
            }
            seat => seat,
        };
        self.games += 1;
    }
}

/// A game that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The opponent cannot play the variant.
    #[error(transparent)]
    Opponent(#[from] NoPerfectPlay),
    /// A move is illegal.
    #[error(transparent)]
    Play(#[from] PlayError),
}
