//! The messages of a page.

use std::error::Error;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::levels::Opponent;
use super::table::{Aid, Table, TurnError};
use crate::encode::Numbering;
use crate::game::{Board, PlayError, Position, Variant, format_move, parse_record};
use crate::names::shortened;

type Failure = Box<dyn Error>;

impl Table {
    /// Acts on a message of the page, a JSON object; errors are shown to the person.
    pub fn handle(&mut self, message: &str) {
        self.error.clear();
        let message = serde_json::from_str(message).unwrap_or_default();
        let done = match &message {
            Value::Object(fields) => self.act(&Message(fields)),
            other => {
                let found = shortened(&other.to_string());
                Err(format!("a message is an object, not {found}").into())
            }
        };
        if let Err(error) = done {
            self.complain(&error.to_string());
        }
    }

    fn act(&mut self, message: &Message<'_>) -> Result<(), Failure> {
        match message.0.get("type").and_then(Value::as_str) {
            Some("play") => {
                let (ply, action) = (message.number("ply")?, message.number("action")?);
                // A second click may arrive after the first has changed the position.
                if ply == self.line.last().ply() as i64 && self.line.is_live() {
                    self.play_action(action)?;
                }
            }
            Some("undo") => {
                self.undo();
            }
            Some("go") => self.go(message.number("shown")?),
            Some("resume") => self.resume(),
            Some("again") => self.renew(),
            Some("show") => {
                for aid in Aid::ALL {
                    if let Some(on) = message.0.get(aid.name()) {
                        self.show(aid, on == &Value::Bool(true));
                    }
                }
            }
            Some("new") => self.start(message)?,
            Some("rematch") => {
                let variant = self.variant_of(message)?;
                let opponent = self.opponent.on(&variant)?;
                let start = Position::new(&variant);
                self.begin(variant, start, self.asked_seat, opponent);
            }
            Some("load") => {
                let variant = self.variant_of(message)?;
                let moves = parse_record(&variant, &message.text("record")?)?;
                self.load(variant, &moves)?;
            }
            _ => {
                let kind = message.0.get("type").map_or("null".to_owned(), plain);
                return Err(format!("there is no message '{}'", shortened(&kind)).into());
            }
        }
        Ok(())
    }

    fn play_action(&mut self, action: i64) -> Result<(), Failure> {
        let variant = Arc::clone(self.line.variant());
        let numbering = Numbering::own(&variant);
        let known = usize::try_from(action).ok();
        let mv = known.and_then(|action| numbering.move_of(action));
        let mv = mv.ok_or_else(|| numbering.no_action(action))?;
        self.play(mv).map_err(|error| match error {
            TurnError::Play(PlayError::Illegal { mv, reason }) => {
                let name = format_move(variant.board(), mv);
                format!("action {action} ({name}) is illegal: {reason}").into()
            }
            other => Failure::from(other),
        })
    }

    /// The variant that a message names, or else the one at the table.
    fn variant_of(&self, message: &Message<'_>) -> Result<Arc<Variant>, Failure> {
        match message.0.get("variant").and_then(Value::as_str) {
            Some(text) => Ok(Arc::new(text.parse()?)),
            None => Ok(Arc::clone(self.line.variant())),
        }
    }

    fn start(&mut self, message: &Message<'_>) -> Result<(), Failure> {
        let board = Board::from_text(&message.text("rows")?)?;
        let opening = message.text("opening")?.parse()?;
        let variant = Arc::new(Variant::new(board, opening, message.number("copies")?)?);
        let choice = message.text("opponent")?;
        // Other names could make the process behind the page read files or run code.
        if !self.choices().contains(&choice.as_str()) {
            let choice = shortened(&choice);
            return Err(format!("'{choice}' is not among the opponents offered").into());
        }
        let opponent = if choice == self.given.choice {
            self.given.on(&variant)?
        } else {
            Opponent::named(&choice, &variant)?
        };
        let seat = message.text("seat")?.parse()?;
        let start = Position::new(&variant);
        self.begin(variant, start, seat, opponent);
        Ok(())
    }
}

/// The fields of a message.
struct Message<'a>(&'a Map<String, Value>);

impl Message<'_> {
    fn get(&self, name: &str) -> Result<&Value, Failure> {
        let value = self.0.get(name);
        value.ok_or_else(|| format!("the message lacks '{name}'").into())
    }

    fn text(&self, name: &str) -> Result<String, Failure> {
        self.get(name).map(plain)
    }

    /// An integer, or a text that is one, as the fields of a form have it.
    fn number(&self, name: &str) -> Result<i64, Failure> {
        let text = self.text(name)?;
        text.trim()
            .parse()
            .map_err(|_| format!("{name} must be an integer, not '{}'", shortened(&text)).into())
    }
}

/// A text without its quotes, and anything else as JSON.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::play::{Line, Seat};

    fn table(opponent: &str, seat: Seat) -> Table {
        let variant = Arc::new(Variant::default());
        let start = Position::new(&variant);
        let opponent = Opponent::given(opponent, false, &variant).unwrap();
        Table::new(Line::new(variant, start), opponent, seat, 0)
    }

    fn choose(table: &mut Table, opponent: &str) {
        let rows = table.line.variant().board().to_text();
        let message = json!({
            "type": "new", "rows": rows, "opening": "outside", "copies": 2, "seat": "light",
            "opponent": opponent,
        });
        table.handle(&message.to_string());
    }

    fn state(table: &Table) -> Value {
        serde_json::from_str(&table.state()).unwrap()
    }

    #[test]
    fn an_opponent_of_the_front_end_can_be_chosen_again() {
        let mut table = table("Own", Seat::Light);
        let own = table.opponent.clone();
        choose(&mut table, "greedy");
        assert_eq!(table.opponent.name, "greedy");
        // The front end starts a game against the same opponent.
        let (variant, opponent) = (table.line.variant().clone(), table.opponent.clone());
        let start = Position::new(&variant);
        table.new_game(variant.clone(), start, Seat::Light, opponent);
        assert_eq!(table.choices().last(), Some(&"Own"));
        choose(&mut table, "Own");
        assert_eq!((&table.opponent, table.error.as_str()), (&own, ""));

        let other = Opponent::given("Other", true, &variant).unwrap();
        table.new_game(variant, start, Seat::Light, other.clone());
        choose(&mut table, "greedy");
        choose(&mut table, "Own");
        assert_eq!(table.error, "'Own' is not among the opponents offered");
        choose(&mut table, "Other");
        assert_eq!(table.opponent, other);
    }

    #[test]
    fn a_drawn_seat_is_drawn_again_for_each_game() {
        let mut table = table("Own", Seat::Drawn);
        let mut seen = Vec::new();
        for _ in 0..20 {
            assert_eq!(table.asked_seat, Seat::Drawn);
            seen.push(table.seat);
            table.handle(r#"{"type": "rematch"}"#);
        }
        assert!(seen.contains(&Seat::Light) && seen.contains(&Seat::Dark));
        assert!(!seen.contains(&Seat::Drawn));
        table.handle(r#"{"type": "load", "record": "1. a1+"}"#);
        table.handle(r#"{"type": "rematch"}"#);
        assert_eq!(table.seat, Seat::Both);
    }

    #[test]
    fn each_game_has_another_number_and_what_fails_starts_none() {
        let mut table = table("Own", Seat::Light);
        let first = state(&table)["number"].clone();
        choose(&mut table, "nobody");
        table.handle(r#"{"type": "show", "hints": true}"#);
        assert_eq!(state(&table)["number"], first);
        choose(&mut table, "greedy");
        assert_ne!(state(&table)["number"], first);
    }

    #[test]
    fn what_could_not_be_solved_is_tried_again_when_an_aid_is_switched_on_or_a_game_begins() {
        let mut table = table("Own", Seat::Light);
        let fail = |table: &mut Table| {
            let (variant, position) = table.next_solution().unwrap();
            let (variant, position) = (Arc::clone(variant), position);
            table.solved(&variant, position, Err("out of time"));
            assert!(table.next_solution().is_none());
        };
        table.handle(r#"{"type": "show", "hints": true}"#);
        fail(&mut table);
        table.handle(r#"{"type": "show", "hints": false}"#);
        table.handle(r#"{"type": "go", "shown": 0}"#);
        assert!(table.next_solution().is_none());
        table.handle(r#"{"type": "show", "hints": true}"#);
        assert_eq!(state(&table)["evaluation"]["pending"], true);
        fail(&mut table);
        table.handle(r#"{"type": "rematch"}"#);
        fail(&mut table);
    }

    #[test]
    fn a_message_that_changes_nothing_leaves_the_opponent_failed() {
        let mut table = table("Own", Seat::Dark);
        let version = table.next_answer().unwrap().version;
        assert!(table.answer(version, Err("out of order")));
        table.handle(r#"{"type": "show", "hints": true}"#);
        assert!(table.failed && table.error.is_empty());
        assert_eq!(state(&table)["failed"], true);
        table.handle(r#"{"type": "again"}"#);
        assert!(table.is_thinking());
    }
}
