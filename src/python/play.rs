//! `mijnlieff.widget.Table`'s native part.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::encode::{action_of, move_of};
use crate::game::{Position, Variant};
use crate::play::{Aid, Line, Opponent, Seat, Table};
use crate::python::convert::actions::GameActions;
use crate::python::convert::text::Text;
use crate::python::errors::record_error;
use crate::python::rules::position::{PyPosition, parse_action, parse_actions};
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
///     actions: those that were played from `start` on, and can be taken back.
///
/// Raises:
///     IllegalMoveError: an action is illegal; the message says which.
///     GameOverError: the game is over before the last action.
///     ParseError: a text is not an action; the message says which.
///     ValueError: an unknown seat, or perfect play on a board of more than 16 cells.
#[pyclass(name = "PlayTable", module = "mijnlieff._mijnlieff", frozen)]
pub(crate) struct PyPlayTable(Mutex<Table>);

#[pymethods]
impl PyPlayTable {
    #[new]
    #[pyo3(signature = (start, opponent, seat, seed, is_perfect=None, actions=None))]
    fn new(
        start: PyPosition,
        opponent: Text<'_>,
        seat: Text<'_>,
        seed: u64,
        is_perfect: Option<bool>,
        actions: Option<GameActions<'_>>,
    ) -> PyResult<Self> {
        let PyPosition { variant, core } = start;
        let opponent = opponent_of(opponent.0, is_perfect, &variant)?;
        let moves = match actions {
            Some(actions) => parse_actions(&variant, core, actions)?.0,
            None => Vec::new(),
        };
        let line = Line::with(variant, core, &moves).expect("the moves were played once");
        let table = Table::new(line, opponent, seat.0.parse()?, seed);
        Ok(Self(Mutex::new(table)))
    }

    /// Everything that a page shows, as JSON.
    fn state(&self) -> String {
        self.lock().state()
    }

    /// The first position, and the one after each action.
    #[getter]
    fn positions(&self) -> Vec<PyPosition> {
        let table = self.lock();
        let positions = table.line().positions().iter();
        positions.map(|&core| of_variant(&table, core)).collect()
    }

    /// The actions so far.
    #[getter]
    fn actions(&self) -> Vec<usize> {
        let table = self.lock();
        let (variant, moves) = (table.line().variant(), table.line().moves().iter());
        moves.map(|&mv| action_of(variant, mv)).collect()
    }

    /// The last position, where the game goes on.
    #[getter]
    fn last(&self) -> PyPosition {
        let table = self.lock();
        of_variant(&table, *table.line().last())
    }

    /// The position that is shown.
    #[getter]
    fn position(&self) -> PyPosition {
        let table = self.lock();
        of_variant(&table, *table.line().position())
    }

    /// The variant that is played.
    #[getter]
    fn variant(&self) -> PyVariant {
        PyVariant(Arc::clone(self.lock().line().variant()))
    }

    /// The game as a record; only its actions if it did not begin at the start of a game.
    #[getter]
    fn record(&self) -> String {
        self.lock().line().record()
    }

    /// The side of the person.
    #[getter]
    fn seat(&self) -> &'static str {
        self.lock().seat().name()
    }

    /// The opponent that was chosen.
    #[getter]
    fn choice(&self) -> String {
        self.lock().opponent().choice.clone()
    }

    /// Raise unless the opponent can play a variant.
    ///
    /// Raises:
    ///     ValueError: perfect play on a board of more than 16 cells.
    fn check_variant(&self, variant: PyVariant) -> PyResult<()> {
        self.lock().opponent().on(&variant.0)?;
        Ok(())
    }

    /// Play an action for the person.
    ///
    /// Raises:
    ///     IllegalMoveError: the action is illegal, or it is the opponent's turn.
    ///     GameOverError: the game is over.
    ///     ParseError: a text that is not an action.
    #[pyo3(signature = (action: "SupportsIndex | str"))]
    fn play(&self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        // To read the action may run Python code, so the table is not locked meanwhile.
        let PyPosition { variant, core } = self.last();
        let (mv, _) = parse_action(&variant, &core, action, "")?;
        Ok(self.lock().play(mv)?)
    }

    /// Take back everything since the person's last choice; return False if there is none.
    fn undo(&self) -> bool {
        self.lock().undo()
    }

    /// Drop answers that are still on their way.
    fn renew(&self) {
        self.lock().renew();
    }

    /// Switch an aid on or off.
    ///
    /// Raises:
    ///     ValueError: there is no such aid.
    fn show(&self, aid: Text<'_>, on: bool) -> PyResult<()> {
        let aid: Aid = aid.0.parse()?;
        self.lock().show(aid, on);
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
        &self,
        start: Option<PyPosition>,
        seat: Option<Text<'_>>,
        opponent: Option<Text<'_>>,
        is_perfect: Option<bool>,
    ) -> PyResult<()> {
        let mut table = self.lock();
        let start = start.unwrap_or_else(|| {
            let first = Position::new(table.line().variant());
            of_variant(&table, first)
        });
        let seat: Seat = match seat {
            Some(seat) => seat.0.parse()?,
            None => table.asked_seat(),
        };
        let opponent = match opponent {
            Some(opponent) => opponent_of(opponent.0, is_perfect, &start.variant)?,
            None => table.opponent().on(&start.variant)?,
        };
        table.new_game(start.variant, start.core, seat, opponent);
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
    fn load(&self, record: Text<'_>, variant: Option<PyVariant>) -> PyResult<()> {
        let variant = variant.unwrap_or_else(|| self.variant()).0;
        let moves = crate::game::parse_record(&variant, record.0)
            .map_err(|error| record_error(&variant, error))?;
        Ok(self.lock().load(variant, &moves)?)
    }

    /// Act on a message of the page, JSON; errors are shown to the person.
    fn handle(&self, message: Text<'_>) {
        self.lock().handle(message.0);
    }

    /// What the opponent has to answer; None if it is not its turn.
    ///
    /// Returns:
    ///     The position, the name of the policy that plays, the number of the game at this table,
    ///     and the version for `answer`.
    fn next_answer(&self) -> Option<(PyPosition, String, u64, u64)> {
        let table = self.lock();
        let asked = table.next_answer()?;
        let position = of_variant(&table, asked.position);
        let opponent = asked.opponent.to_owned();
        Some((position, opponent, asked.game, asked.version))
    }

    /// Play the opponent's action, or tell of its failure.
    ///
    /// Returns:
    ///     False if the game has changed since the question of this version.
    #[pyo3(signature = (version, action, error=None))]
    fn answer(
        &self,
        version: u64,
        action: Option<usize>,
        error: Option<&Bound<'_, PyString>>,
    ) -> bool {
        let error = shown(error);
        let mut table = self.lock();
        let mv = action.and_then(|action| move_of(table.line().variant(), action));
        table.answer(version, mv.ok_or(&error))
    }

    /// The next position whose margins are wanted, if there is one.
    fn next_solution(&self) -> Option<PyPosition> {
        let table = self.lock();
        let (variant, core) = table.next_solution()?;
        let variant = Arc::clone(variant);
        Some(PyPosition { variant, core })
    }

    /// Take the margin after each action of a position, or why it could not be solved.
    #[pyo3(signature = (position, margins: "dict[int, int] | None", error=None))]
    fn solved(
        &self,
        position: PyPosition,
        margins: Option<BTreeMap<usize, i32>>,
        error: Option<&Bound<'_, PyString>>,
    ) {
        let error = shown(error);
        let margins = margins.map(|margins| margins.into_iter().collect());
        let PyPosition { variant, core } = position;
        let mut table = self.lock();
        table.solved(&variant, core, margins.ok_or(&error));
    }
}

impl PyPlayTable {
    /// The table. Whoever locks it holds the GIL and runs no Python code meanwhile, so nobody has to
    /// wait, and it is free when Python forks the process.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A position of the game at the table.
fn of_variant(table: &Table, core: Position) -> PyPosition {
    let variant = Arc::clone(table.line().variant());
    PyPosition { variant, core }
}

/// An error's text as the page shows it. Any code may have raised the error, so its text may have lone
/// surrogates.
fn shown<'a>(error: Option<&'a Bound<'_, PyString>>) -> Cow<'a, str> {
    error.map_or(Cow::Borrowed(""), |error| error.to_string_lossy())
}

fn opponent_of(name: &str, is_perfect: Option<bool>, variant: &Variant) -> PyResult<Opponent> {
    Ok(match is_perfect {
        Some(is_perfect) => Opponent::given(name, is_perfect, variant)?,
        None => Opponent::named(name, variant)?,
    })
}
