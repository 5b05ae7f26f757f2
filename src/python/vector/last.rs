//! The last observations of games that ended in a step.

use std::mem;

use pyo3::prelude::*;

use crate::memory::{OutOfMemory, make_room};
use crate::python::convert::observations::ObservationArray;
use crate::python::convert::shared_memory::{LentArray, references};
use crate::vector::{BatchEnv, Format};

/// What the memory is for, where there is none.
const LAST: &str = "the last observations";

/// The array of last observations: an object for each game, which is None or a row.
///
/// ```text
///   places (lent):  None  row 0  None  None  row 1  ...     one for each game
///                           ▼                 ▼
///   rows:           one observation after the other         one for each game that ended
/// ```
///
/// To make an object for a row costs more than to write its numbers, so rows are kept as objects and
/// used again: here and in their places there is one reference each. A row that the caller has kept or
/// changed is replaced by a new one.
pub(super) struct LastObservations {
    places: LentArray<Py<PyAny>>,
    rows: ObservationArray,
    /// The rows as objects, as far as they were ever used.
    views: Vec<Py<PyAny>>,
    /// The games whose places hold the rows, in the order of the rows.
    games: Vec<u32>,
    /// For how many steps there have been far more rows than needed.
    idle_steps: u32,
}

impl LastObservations {
    pub(super) fn new(py: Python<'_>, core: &dyn BatchEnv, format: Format) -> PyResult<Self> {
        Ok(Self {
            places: LentArray::of_none(py, core.num_envs())?,
            rows: rows_for(py, core, format, core.endings().len())?,
            views: Vec::new(),
            games: Vec::new(),
            idle_steps: 0,
        })
    }

    /// Whether no Python code can see the array or one of its rows.
    pub(super) fn is_free(&self, py: Python<'_>) -> bool {
        let places = self.places.seen_objects(py);
        self.places.is_free(py)
            // Only the rows that are kept here view their memory.
            && self.rows.other_views(py) == self.views.len() as isize
            // A weak reference may have given any of them back to the caller.
            && self.views.iter().enumerate().all(|(row, view)| {
                let game = self.games.get(row);
                let place = game.and_then(|&game| places[game as usize].as_ref());
                references(view.bind(py)) == 1 + isize::from(is_at(view, place))
            })
    }

    /// Puts the last observations of the games that ended in the last step into their places, and
    /// None into all others.
    pub(super) fn write(
        &mut self,
        py: Python<'_>,
        core: &dyn BatchEnv,
        format: Format,
    ) -> PyResult<()> {
        // Objects that a caller put among the last observations. Dropping them may run any Python
        // code, which must find the arrays unborrowed.
        let mut dropped = Vec::new();
        let places = self.places.objects(py);
        for (game, view) in self.games.drain(..).zip(&self.views) {
            let place = &mut places[game as usize];
            if is_at(view, place.as_ref()) {
                // Not the last reference: `views` has another.
                *place = Some(py.None());
            }
        }
        take_foreign(py, places, &mut dropped)?;

        let endings = core.endings();
        if !self.suit(endings.len()) {
            make_room(&mut dropped, LAST, self.views.len())?;
            self.rows = rows_for(py, core, format, endings.len())?;
            dropped.extend(self.views.drain(..).map(Some));
            self.idle_steps = 0;
        }
        let new = endings.len().saturating_sub(self.views.len());
        make_room(&mut self.views, LAST, new)?;
        make_room(&mut self.games, LAST, endings.len())?;
        core.write_finals(&mut self.rows.memory());
        let places = self.places.objects(py);
        for (row, ending) in endings.iter().enumerate() {
            if row == self.views.len() {
                self.views.push(self.rows.row(py, row)?.unbind());
            } else if !self.rows.is_unchanged_row(self.views[row].bind(py), row) {
                let view = self.rows.row(py, row)?.unbind();
                make_room(&mut dropped, LAST, 1)?;
                dropped.push(Some(mem::replace(&mut self.views[row], view)));
            }
            places[ending.game as usize] = Some(self.views[row].clone_ref(py));
            self.games.push(ending.game);
        }
        Ok(())
    }

    /// The array, or a new one if the caller has changed it.
    pub(super) fn lend<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.places.lend(py)
    }

    /// Whether there is room for this many games, and not far too much for a long time.
    ///
    /// Games that started together end together, many in one step and few in the next.
    fn suit(&mut self, games: usize) -> bool {
        /// Rows that are worth keeping.
        const FEW: usize = 256;
        /// Steps for which rows may be left unused.
        const PATIENCE: u32 = 32;
        let capacity = self.rows.len();
        let wasteful = capacity > 4 * games.max(FEW);
        self.idle_steps = if wasteful { self.idle_steps + 1 } else { 0 };
        games <= capacity && self.idle_steps <= PATIENCE
    }
}

/// Makes room for this many games and some more.
fn rows_for(
    py: Python<'_>,
    core: &dyn BatchEnv,
    format: Format,
    games: usize,
) -> PyResult<ObservationArray> {
    let capacity = (games + (games / 8).clamp(8, 512)).min(core.num_envs());
    ObservationArray::zeros(py, &core.config().variants, format, capacity)
}

fn is_at(view: &Py<PyAny>, place: Option<&Py<PyAny>>) -> bool {
    place.is_some_and(|object| object.is(view))
}

/// Puts None everywhere, and collects the objects that were there.
fn take_foreign(
    py: Python<'_>,
    places: &mut [Option<Py<PyAny>>],
    foreign: &mut Vec<Option<Py<PyAny>>>,
) -> Result<(), OutOfMemory> {
    /// Places compared at once; nearly always all have None.
    const AT_ONCE: usize = 16;
    let none = py.None();
    let is_foreign = |place: &Option<Py<PyAny>>| !is_at(&none, place.as_ref());
    for part in places.chunks_mut(AT_ONCE) {
        if part
            .iter()
            .fold(false, |any, place| any | is_foreign(place))
        {
            make_room(foreign, LAST, AT_ONCE)?;
            let places = part.iter_mut().filter(|place| is_foreign(place));
            foreign.extend(places.map(|place| place.replace(py.None())));
        }
    }
    Ok(())
}
