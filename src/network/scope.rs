//! The boards that a network knows.

use super::NetworkError;
use crate::encode::Canvas;
use crate::game::{Board, Opening, Variant};

/// The boards that a network was trained on. The opening rule makes no difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One board, with a number of copies.
    Variant(Variant),
    /// Every board that fits a canvas, with a number of copies.
    Canvas {
        /// The canvas.
        canvas: Canvas,
        /// Pieces of each type that each player starts with.
        copies: u8,
    },
}

impl From<Variant> for Scope {
    fn from(variant: Variant) -> Self {
        Self::Variant(variant)
    }
}

impl Scope {
    /// The variant, if there is only one board.
    #[must_use]
    pub fn variant(&self) -> Option<&Variant> {
        match self {
            Self::Variant(variant) => Some(variant),
            Self::Canvas { .. } => None,
        }
    }

    /// The smallest canvas that holds every board.
    #[must_use]
    pub fn canvas(&self) -> Canvas {
        match self {
            Self::Variant(variant) => Canvas::of(variant.board()),
            Self::Canvas { canvas, .. } => *canvas,
        }
    }

    /// Pieces of each type that each player starts with.
    #[must_use]
    pub fn copies(&self) -> u8 {
        match self {
            Self::Variant(variant) => variant.copies(),
            Self::Canvas { copies, .. } => *copies,
        }
    }

    /// Whether it has the board and the copies of this variant.
    #[must_use]
    pub fn contains(&self, variant: &Variant) -> bool {
        let has_board = match self {
            Self::Variant(own) => own.board() == variant.board(),
            Self::Canvas { canvas, .. } => canvas.check(variant).is_ok(),
        };
        has_board && variant.copies() == self.copies()
    }

    /// The cells of the only board, or those of the canvas.
    pub(super) fn num_cells(&self) -> usize {
        match self {
            Self::Variant(variant) => variant.board().num_cells(),
            Self::Canvas { canvas, .. } => canvas.area(),
        }
    }

    /// The text that files have.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Variant(variant) => {
                let (opening, copies) = (variant.opening().name(), variant.copies());
                format!("{opening} {copies}\n{}", variant.board().to_text())
            }
            Self::Canvas { canvas, copies } => {
                format!("{} {} {copies}", canvas.height(), canvas.width())
            }
        }
    }

    /// Reads the text of a canvas, or else of a variant.
    pub(super) fn from_text(text: &[u8], is_canvas: bool) -> Result<Self, NetworkError> {
        let read = if is_canvas { read_canvas } else { read_variant };
        let text = std::str::from_utf8(text).map_err(|error| wrong(&error))?;
        let scope = read(text)?;
        let written = scope.to_text();
        if text == written {
            Ok(scope)
        } else {
            Err(wrong(&format!("{text:?} has to be written as {written:?}")))
        }
    }
}

fn read_variant(text: &str) -> Result<Scope, NetworkError> {
    let (rules, board) = text.split_once('\n').unwrap_or((text, ""));
    let (opening, copies) = rules.split_once(' ').unwrap_or((rules, ""));
    let copies = number("copies", copies)?;
    let board = Board::from_text(board).map_err(|error| wrong(&error))?;
    Opening::from_name(opening)
        .and_then(|opening| Variant::new(board, opening, copies))
        .map(Scope::Variant)
        .map_err(|error| wrong(&error))
}

fn read_canvas(text: &str) -> Result<Scope, NetworkError> {
    let mut numbers = text.splitn(3, ' ');
    let mut next = |name| number(name, numbers.next().unwrap_or(""));
    let (height, width, copies) = (next("rows")?, next("columns")?, next("copies")?);
    let side = |number: i64| usize::try_from(number).unwrap_or(0);
    let canvas = Canvas::new(side(height), side(width)).map_err(|error| wrong(&error))?;
    let any = Variant::new(Board::default(), Opening::default(), copies);
    let copies = any.map_err(|error| wrong(&error))?.copies();
    Ok(Scope::Canvas { canvas, copies })
}

fn number(name: &str, text: &str) -> Result<i64, NetworkError> {
    text.parse()
        .map_err(|_| wrong(&format!("{name} must be an integer, not {text:?}")))
}

fn wrong(reason: &dyn ToString) -> NetworkError {
    let reason = reason.to_string();
    NetworkError::Variant { reason }
}
