//! `mijnlieff.widget.Table`'s native part.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;

use crate::encode::{action_of, move_of};
use crate::game::{Position, Variant};
use crate::play::{Aid, Opponent, Seat, Table};
use crate::python::convert::text::Text;
use crate::python::errors::record_error;
use crate::python::rules::position::{PyPosition, parse_action};
use crate::python::rules::variant::PyVariant;

/// A game, its players, and the exact values found so far.
///
/// It starts no thread: whoever has it asks for work, does it, and brings the results back.
///
/// Args:
///     start: the first position.
///     opponent: the name of a policy, or what an object is to be called.
///     seat: ``"light"``, ``"dark"``, ``"both"`` or ``"drawn"``.
///     seed: draws seats.
///     is_perfect: None if `opponent` names a policy; of an object, whether it plays perfectly.
///
/// Raises:
///     ValueError: an unknown seat, or perfect play on a board of more than 16 cells.
#[pyclass(name = "PlayTable", module = "mijnlieff._mijnlieff")]
pub(crate) struct PyPlayTable(Table);

#[pymethods]
impl PyPlayTable {
    #[new]
    #[pyo3(signature = (start, opponent, seat, seed, is_perfect=None))]
    fn new(
        start: PyPosition,
        opponent: &str,
        seat: &str,
        seed: u64,
        is_perfect: Option<bool>,
    ) -> PyResult<Self> {
        let PyPosition { variant, core } = start;
        let opponent = opponent_of(opponent, is_perfect, &variant)?;
        let table = Table::new(variant, core, opponent, seat.parse()?, seed);
        Ok(Self(table))
    }

    /// Everything that a page shows, as JSON.
    fn state(&self) -> String {
        self.0.state()
    }

    /// The first position, and the one after each action.
    #[getter]
    fn positions(&self) -> Vec<PyPosition> {
        let positions = self.0.line().positions().iter();
        positions.map(|&core| self.with_variant(core)).collect()
    }

    /// The actions so far.
    #[getter]
    fn actions(&self) -> Vec<usize> {
        let moves = self.0.line().moves().iter();
        moves
            .map(|&mv| action_of(self.0.line().variant(), mv))
            .collect()
    }

    /// The last position, where the game goes on.
    #[getter]
    fn last(&self) -> PyPosition {
        self.with_variant(*self.0.line().last())
    }

    /// The position that is shown.
    #[getter]
    fn position(&self) -> PyPosition {
        self.with_variant(*self.0.line().position())
    }

    /// The variant that is played.
    #[getter]
    fn variant(&self) -> PyVariant {
        PyVariant(Arc::clone(self.0.line().variant()))
    }

    /// The game as a record; only its actions if it did not begin at the start of a game.
    #[getter]
    fn record(&self) -> String {
        self.0.line().record()
    }

    /// The side of the person.
    #[getter]
    fn seat(&self) -> &'static str {
        self.0.seat().name()
    }

    /// The opponent that was chosen.
    #[getter]
    fn choice(&self) -> &str {
        &self.0.opponent().choice
    }

    /// Raise unless the opponent can play a variant.
    ///
    /// Raises:
    ///     ValueError: perfect play on a board of more than 16 cells.
    fn check_variant(&self, variant: PyVariant) -> PyResult<()> {
        self.0.opponent().on(&variant.0)?;
        Ok(())
    }

    /// Play an action for the person.
    ///
    /// Raises:
    ///     IllegalMoveError: the action is illegal, or it is the opponent's turn.
    ///     GameOverError: the game is over.
    ///     ParseError: a text that is not an action.
    #[pyo3(signature = (action: "SupportsIndex | str"))]
    fn play(&mut self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        let line = self.0.line();
        let (mv, _) = parse_action(line.variant(), line.last(), action, "")?;
        Ok(self.0.play(mv)?)
    }

    /// Take back everything since the person's last choice; return False if there is none.
    fn undo(&mut self) -> bool {
        self.0.undo()
    }

    /// Drop answers that are still on their way.
    fn renew(&mut self) {
        self.0.renew();
    }

    /// Switch an aid on or off.
    ///
    /// Raises:
    ///     ValueError: there is no such aid.
    fn show(&mut self, aid: &str, on: bool) -> PyResult<()> {
        let aid: Aid = aid.parse()?;
        self.0.show(aid, on);
        Ok(())
    }

    /// Start a new game.
    ///
    /// Args:
    ///     start: its first position; None for the start of the same variant.
    ///     seat: None for the same as was asked for before; ``"drawn"`` is drawn again.
    ///     opponent: None for the same as before.
    ///     is_perfect: as in the class.
    ///
    /// Raises:
    ///     ValueError: as in the class; nothing has changed.
    #[pyo3(signature = (start=None, seat=None, opponent=None, is_perfect=None))]
    fn new_game(
        &mut self,
        start: Option<PyPosition>,
        seat: Option<&str>,
        opponent: Option<&str>,
        is_perfect: Option<bool>,
    ) -> PyResult<()> {
        let start = start.unwrap_or_else(|| {
            let variant = self.0.line().variant();
            self.with_variant(Position::new(variant))
        });
        let seat: Seat = seat.map_or(Ok(self.0.asked_seat()), str::parse)?;
        let opponent = match opponent {
            Some(opponent) => opponent_of(opponent, is_perfect, &start.variant)?,
            None => self.0.opponent().on(&start.variant)?,
        };
        self.0.new_game(start.variant, start.core, seat, opponent);
        Ok(())
    }

    /// Load a game to step through, with its mistakes marked; the person plays both sides.
    ///
    /// Args:
    ///     record: such as ``"1. a1+, a3><; 2. a2+, a4<>"``.
    ///     variant: its variant; None for the one at the table.
    ///
    /// Raises:
    ///     ParseError: the text is not a record.
    ///     IllegalMoveError: a move is illegal; the message says which.
    ///     ValueError: perfect play on a board of more than 16 cells.
    #[pyo3(signature = (record, variant=None))]
    fn load(&mut self, record: Text<'_>, variant: Option<PyVariant>) -> PyResult<()> {
        let variant = variant.map_or_else(|| Arc::clone(self.0.line().variant()), |it| it.0);
        let moves = crate::game::parse_record(&variant, record.0)
            .map_err(|error| record_error(&variant, error))?;
        Ok(self.0.load(variant, &moves)?)
    }

    /// Act on a message of the page, JSON; errors are shown to the person.
    fn handle(&mut self, message: &str) {
        self.0.handle(message);
    }

    /// What the opponent has to answer; None if it is not its turn.
    ///
    /// Returns:
    ///     The position, the name of the policy that plays, the number of the game at this table,
    ///     and the version for `answer`.
    fn next_answer(&self) -> Option<(PyPosition, &str, u64, u64)> {
        let asked = self.0.next_answer()?;
        let position = self.with_variant(asked.position);
        Some((position, asked.opponent, asked.game, asked.version))
    }

    /// Play the opponent's action, or tell of its failure.
    ///
    /// Returns:
    ///     False if the game has changed since the question of this version.
    #[pyo3(signature = (version, action, error=""))]
    fn answer(&mut self, version: u64, action: Option<usize>, error: &str) -> bool {
        let mv = action.and_then(|action| move_of(self.0.line().variant(), action));
        self.0.answer(version, mv.ok_or(error))
    }

    /// The next position whose margins are wanted, if there is one.
    fn next_solution(&self) -> Option<PyPosition> {
        let (variant, core) = self.0.next_solution()?;
        let variant = Arc::clone(variant);
        Some(PyPosition { variant, core })
    }

    /// Take the margin after each action of a position, or why it could not be solved.
    #[pyo3(signature = (position, margins: "dict[int, int] | None", error=""))]
    fn solved(&mut self, position: PyPosition, margins: Option<BTreeMap<usize, i32>>, error: &str) {
        let margins = margins.map(|margins| margins.into_iter().collect());
        let PyPosition { variant, core } = position;
        self.0.solved(&variant, core, margins.ok_or(error));
    }
}

impl PyPlayTable {
    fn with_variant(&self, core: Position) -> PyPosition {
        let variant = Arc::clone(self.0.line().variant());
        PyPosition { variant, core }
    }
}

fn opponent_of(name: &str, is_perfect: Option<bool>, variant: &Variant) -> PyResult<Opponent> {
    Ok(match is_perfect {
        Some(is_perfect) => Opponent::given(name, is_perfect, variant)?,
        None => Opponent::named(name, variant)?,
    })
}
