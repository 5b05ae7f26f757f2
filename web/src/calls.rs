//! What a page can ask; `web/table.js` and `web/worker.js` do.
//!
//! A request is an object with the name of a call and its arguments; the answer is an object too, with
//! the field `error` if the call has failed.
//!
//! | call | arguments | answer |
//! | --- | --- | --- |
//! | `table` | `variant`, `opponent`, `seat`, `seed`, `first` (Light's first move, or empty) | as below |
//! | `handle` | `message` | as below |
//! | `answer` | `version`, `action` or `error` | as below |
//! | `solved` | `variant`, `position`, `margins` or `error` | as below |
//! | `solve` | `variant`, `position` | `margins` by action, for the side to move |
//! | `choose` | `variant`, `position`, `opponent`, `seed`, `decision` | `action` |
//!
//! The first four belong to a table. They answer with its `state`, and with the work that it wants: the
//! arguments of `choose` and of `solve`, or null.

use std::error::Error;
use std::sync::Arc;

use mijnlieff::encode::{action_of, move_of};
use mijnlieff::game::{Position, Variant, format_position, parse_move, parse_position};
use mijnlieff::play::{Line, Opponent, Table};
use serde_json::{Value, json};

use crate::player::Players;

type Failure = Box<dyn Error>;

/// A table, and the players and solvers of positions.
#[derive(Default)]
pub struct Core {
    table: Option<Table>,
    players: Players,
}

impl Core {
    /// Answers a request.
    pub fn answer(&mut self, request: &[u8]) -> String {
        let request = serde_json::from_slice(request).unwrap_or_default();
        told(self.call(&request))
    }

    /// Takes the file of a network.
    pub fn take_network(&mut self, file: &[u8]) -> String {
        let taken = self.players.take_network(file);
        told(taken.map(|()| json!({})).map_err(Failure::from))
    }

    fn call(&mut self, request: &Value) -> Result<Value, Failure> {
        match text(request, "call")? {
            "solve" => {
                let (variant, position) = position_of(request)?;
                let margins = self.players.margins(&variant, &position)?;
                let margins = margins
                    .into_iter()
                    .map(|(mv, margin)| (action_of(&variant, mv).to_string(), Value::from(margin)));
                Ok(json!({"margins": Value::Object(margins.collect())}))
            }
            "choose" => {
                let (variant, position) = position_of(request)?;
                let (seed, decision) = (number(request, "seed")?, number(request, "decision")?);
                let opponent = text(request, "opponent")?;
                let mv = self
                    .players
                    .choose(opponent, &variant, &position, seed, decision)?;
                Ok(json!({"action": action_of(&variant, mv)}))
            }
            "table" => {
                self.table = Some(new_table(request)?);
                self.wanted()
            }
            name => {
                let table = self.table.as_mut().ok_or("there is no table yet")?;
                match name {
                    "handle" => table.handle(&request["message"].to_string()),
                    "answer" => {
                        let action = request["action"].as_u64();
                        let mv = action.and_then(|it| move_of(table.line().variant(), it as usize));
                        let error = request["error"]
                            .as_str()
                            .unwrap_or("there is no such action");
                        table.answer(number(request, "version")?, mv.ok_or(error));
                    }
                    "solved" => {
                        let (variant, position) = position_of(request)?;
                        let margins = request["margins"].as_object().map(|margins| {
                            let margins = margins.iter();
                            let read = |(action, margin): (&String, &Value)| {
                                Some((action.parse().ok()?, margin.as_i64()? as i32))
                            };
                            margins.filter_map(read).collect()
                        });
                        let error = request["error"].as_str().unwrap_or_default();
                        table.solved(&variant, position, margins.ok_or(error));
                    }
                    _ => return Err(format!("there is no call {name:?}").into()),
                }
                self.wanted()
            }
        }
    }

    /// The state of the table, and the work that it wants.
    fn wanted(&self) -> Result<Value, Failure> {
        let table = self.table.as_ref().ok_or("there is no table yet")?;
        let answer = table.next_answer().map(|asked| {
            let must_pass = asked.position.must_pass(asked.variant);
            json!({
                "variant": asked.variant.to_string(),
                "position": format_position(asked.variant, &asked.position),
                "opponent": asked.opponent,
                "version": asked.version,
                "forced": must_pass.then(|| action_of(asked.variant, mijnlieff::game::Move::Pass)),
            })
        });
        let solution = table.next_solution().map(|(variant, position)| {
            json!({
                "variant": variant.to_string(),
                "position": format_position(variant, &position),
            })
        });
        let state: Value = serde_json::from_str(&table.state())?;
        Ok(json!({"state": state, "answer": answer, "solution": solution}))
    }
}

fn new_table(request: &Value) -> Result<Table, Failure> {
    let variant: Arc<Variant> = Arc::new(text(request, "variant")?.parse()?);
    let opponent = Opponent::named(text(request, "opponent")?, &variant)?;
    let seat = text(request, "seat")?.parse()?;
    let start = Position::new(&variant);
    let seed = number(request, "seed")?;
    let line = Line::new(Arc::clone(&variant), start);
    let mut table = Table::new(line, opponent, seat, seed);
    let first = text(request, "first")?;
    if !first.is_empty()
        && let Some(version) = table.next_answer().map(|asked| asked.version)
    {
        let mv = parse_move(variant.board(), first)?;
        table.answer(version, Ok(mv));
    }
    Ok(table)
}

fn told(answer: Result<Value, Failure>) -> String {
    let answer = answer.unwrap_or_else(|error| json!({"error": error.to_string()}));
    answer.to_string()
}

fn position_of(request: &Value) -> Result<(Arc<Variant>, Position), Failure> {
    let variant: Arc<Variant> = Arc::new(text(request, "variant")?.parse()?);
    let position = parse_position(&variant, text(request, "position")?)?;
    Ok((variant, position))
}

fn text<'a>(request: &'a Value, name: &str) -> Result<&'a str, Failure> {
    let value = request[name].as_str();
    value.ok_or_else(|| format!("the request lacks the text {name:?}").into())
}

fn number(request: &Value, name: &str) -> Result<u64, Failure> {
    let value = request[name].as_u64();
    value.ok_or_else(|| format!("the request lacks the number {name:?}").into())
}
