//! A canvas: one shape of observations and actions for boards of different shapes.

use std::borrow::Borrow;

use thiserror::Error;

use super::action::pass_over;
use super::{Layout, Numbering};
use crate::game::{Board, Variant};

/// A rectangle of cells in which boards of different shapes have observations and actions of one
/// shape.
///
/// A board lies at the lower left corner: its cell in column `x` and row `y` is the cell of the canvas
/// in that column and row. Cells of the canvas are numbered along the row from the lower left, then up.
/// Those that the board lacks are 0 in every plane of cells, and their actions are never legal.
///
/// * **Actions**: `piece * area + cell`, and a pass as the last index, `4 * area`.
/// * **Observations**: [`Layout::Planes`] with the height and width of the canvas; plane 3 marks the
///   cells that exist, and the planes of the hands are constant over the whole canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Canvas {
    height: u8,
    width: u8,
}

/// Why a canvas cannot be made or used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CanvasError {
    /// Too many rows or columns, or too few.
    #[error(
        "a canvas has 1 to {} rows and columns, not {height} rows and {width} columns",
        Canvas::MAX_SIDE
    )]
    Side {
        /// The rows.
        height: usize,
        /// The columns.
        width: usize,
    },
    /// A canvas around nothing.
    #[error("a canvas around variants needs at least one variant")]
    NoVariants,
    /// A board that is higher or wider than the canvas.
    #[error(
        "a board of {board_height} rows and {board_width} columns does not fit a canvas of {} rows and \
         {} columns", .canvas.height, .canvas.width
    )]
    TooSmall {
        /// The canvas.
        canvas: Canvas,
        /// The rows of the board.
        board_height: usize,
        /// The columns of the board.
        board_width: usize,
    },
    /// An index that no action of the canvas has.
    #[error("action {action} does not exist, the actions of this canvas are 0 to {last}")]
    UnknownAction {
        /// The index.
        action: usize,
        /// The pass.
        last: usize,
    },
    /// An action on a cell of the canvas that the board lacks.
    #[error(
        "action {action} is on column {x} and row {y} of the canvas, where this board has no cell"
    )]
    NotACell {
        /// The index.
        action: usize,
        /// The column, from 0.
        x: usize,
        /// The row, from 0.
        y: usize,
    },
}

impl Canvas {
    /// The most rows or columns of a canvas: those of the largest board.
    pub const MAX_SIDE: usize = Board::MAX_SIDE;

    /// A canvas with so many rows and columns.
    ///
    /// # Errors
    ///
    /// Unless both are 1 to [`Canvas::MAX_SIDE`].
    pub fn new(height: usize, width: usize) -> Result<Self, CanvasError> {
        let sides = 1..=Self::MAX_SIDE;
        if !sides.contains(&height) || !sides.contains(&width) {
            return Err(CanvasError::Side { height, width });
        }
        Ok(Self {
            height: height as u8,
            width: width as u8,
        })
    }

    /// The rectangle around a board.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        Self {
            height: board.height() as u8,
            width: board.width() as u8,
        }
    }

    /// The smallest canvas that holds the boards of these variants.
    ///
    /// ```
    /// use mijnlieff::encode::Canvas;
    /// use mijnlieff::game::{Board, Opening, Variant};
    ///
    /// let row = Board::from_blocks(&[(0, 0), (2, 0), (4, 0), (6, 0)])?;
    /// let row = Variant::new(row, Opening::default(), 2)?;
    /// let canvas = Canvas::around([&row, &Variant::default()])?;
    /// assert_eq!((canvas.height(), canvas.width()), (4, 8));
    /// assert_eq!(canvas.num_actions(), 129);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When there is no variant.
    pub fn around<V: Borrow<Variant>>(
        variants: impl IntoIterator<Item = V>,
    ) -> Result<Self, CanvasError> {
        let canvases = variants.into_iter();
        let canvases = canvases.map(|variant| Self::of(variant.borrow().board()));
        let around = canvases.reduce(|one, other| Self {
            height: one.height.max(other.height),
            width: one.width.max(other.width),
        });
        around.ok_or(CanvasError::NoVariants)
    }

    /// Rows.
    #[must_use]
    pub fn height(self) -> usize {
        usize::from(self.height)
    }

    /// Columns.
    #[must_use]
    pub fn width(self) -> usize {
        usize::from(self.width)
    }

    /// The cells of the rectangle.
    #[must_use]
    pub fn area(self) -> usize {
        self.height() * self.width()
    }

    /// The number of actions: one per piece type and cell of the canvas, and the pass.
    #[must_use]
    pub fn num_actions(self) -> usize {
        self.pass_action() + 1
    }

    /// The index of the pass, the last action.
    #[must_use]
    pub fn pass_action(self) -> usize {
        pass_over(self.area())
    }

    /// The shape of one observation.
    #[must_use]
    pub fn observation_shape(self) -> [usize; 3] {
        [Layout::NUM_PLANES, self.height(), self.width()]
    }

    /// The numbers in one observation.
    #[must_use]
    pub fn observation_len(self) -> usize {
        Layout::planes_len(self.area())
    }

    /// Fails when the board of the variant does not fit.
    ///
    /// # Errors
    ///
    /// When the board is higher or wider than the canvas.
    pub fn check(self, variant: &Variant) -> Result<(), CanvasError> {
        let board = variant.board();
        if board.height() <= self.height() && board.width() <= self.width() {
            return Ok(());
        }
        Err(CanvasError::TooSmall {
            canvas: self,
            board_height: board.height(),
            board_width: board.width(),
        })
    }

    /// The canvas's index of an action of the variant; none when the variant has no such action.
    #[must_use]
    pub fn action(self, variant: &Variant, action: usize) -> Option<usize> {
        super::move_of(variant, action).map(|mv| Numbering::new(variant, Some(self)).action_of(mv))
    }

    /// The variant's index of an action of the canvas.
    ///
    /// # Errors
    ///
    /// When the canvas has no such action, or the board no cell there.
    pub fn variant_action(self, variant: &Variant, action: usize) -> Result<usize, CanvasError> {
        if let Some(mv) = Numbering::new(variant, Some(self)).move_of(action) {
            return Ok(super::action_of(variant, mv));
        }
        let last = self.pass_action();
        if action > last {
            return Err(CanvasError::UnknownAction { action, last });
        }
        let number = action % self.area();
        Err(CanvasError::NotACell {
            action,
            x: number % self.width(),
            y: number / self.width(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{exchange_sides, move_of, num_actions, observe, write_mask};
    use crate::game::{Opening, Position};
    use crate::random::{Draw, SplitMix64};

    /// On the box of the board itself a canvas is the planes of the board; on a larger one the planes
    /// lie in its lower left corner.
    #[test]
    fn a_canvas_shows_what_the_planes_of_the_board_show() {
        let board = Board::from_text("..##\n####\n.##.").unwrap();
        let variant = Variant::new(board, Opening::Anywhere, 3).unwrap();
        let canvas = Canvas::around([&variant]).unwrap();
        assert_eq!(canvas.observation_shape(), [12, 3, 4]);
        let large = Canvas::new(5, 6).unwrap();
        assert_eq!(large.check(&variant), Ok(()));
        let on = |canvas| Numbering::new(&variant, Some(canvas));
        let mut rng = SplitMix64::new(3);
        let mut position = Position::new(&variant);
        while !position.is_over(&variant) {
            let mut own = vec![0.5_f32; canvas.observation_len()];
            observe(&variant, &position, Layout::Planes, &mut own);
            let mut on_canvas = vec![0.5_f32; canvas.observation_len()];
            on(canvas).observe(&position, Layout::Planes, &mut on_canvas);
            assert_eq!(on_canvas, own);
            let mut exchanged = own.clone();
            exchange_sides(&variant, Layout::Planes, &mut exchanged);
            on(canvas).exchange_sides(Layout::Planes, &mut on_canvas);
            assert_eq!(on_canvas, exchanged);
            let mut larger = vec![0.5_f32; large.observation_len()];
            on(large).observe(&position, Layout::Planes, &mut larger);
            for (i, &number) in larger.iter().enumerate() {
                let (plane, y, x) = (i / 30, i / 6 % 5, i % 6);
                let inside = x < 4 && y < 3;
                let expected = match plane {
                    _ if inside => own[plane * 12 + y * 4 + x],
                    0..4 => 0.0,
                    _ => own[plane * 12],
                };
                assert_eq!(number.to_bits(), expected.to_bits(), "{plane} {x} {y}");
            }
            let mut mask = vec![9; num_actions(&variant)];
            write_mask(&variant, &position, &mut mask);
            let mut on_canvas = vec![9; large.num_actions()];
            on(large).write_mask(&position, &mut on_canvas);
            for (action, &legal) in mask.iter().enumerate() {
                assert_eq!(on_canvas[large.action(&variant, action).unwrap()], legal);
            }
            let sum = |mask: &[i8]| mask.iter().map(|&it| i32::from(it)).sum::<i32>();
            assert_eq!(sum(&on_canvas), sum(&mask));
            let moves = position.legal_moves(&variant);
            let mv = moves[rng.below(moves.len() as u64) as usize];
            position = position.play(&variant, mv).unwrap();
        }
    }

    #[test]
    fn actions_are_converted_both_ways() {
        let board = Board::from_text("#.#\n###").unwrap();
        let variant = Variant::new(board, Opening::Outside, 2).unwrap();
        let canvas = Canvas::new(3, 4).unwrap();
        for action in 0..num_actions(&variant) {
            let on_canvas = canvas.action(&variant, action).unwrap();
            assert_eq!(canvas.variant_action(&variant, on_canvas), Ok(action));
            let mv = Numbering::new(&variant, Some(canvas)).move_of(on_canvas);
            assert_eq!(mv, move_of(&variant, action));
        }
        assert_eq!(canvas.action(&variant, num_actions(&variant)), None);
        // The second cell of the second row is a gap; the last cell is outside the board.
        for (action, x, y) in [(12 + 5, 1, 1), (12 + 11, 3, 2)] {
            let error = CanvasError::NotACell { action, x, y };
            assert_eq!(canvas.variant_action(&variant, action), Err(error));
        }
        let unknown = CanvasError::UnknownAction {
            action: 49,
            last: 48,
        };
        assert_eq!(canvas.variant_action(&variant, 49), Err(unknown));
    }

    #[test]
    fn canvases_have_bounds() {
        for (height, width) in [(0, 4), (4, 0), (65, 1), (1, usize::MAX)] {
            let error = CanvasError::Side { height, width };
            assert_eq!(Canvas::new(height, width), Err(error));
        }
        assert_eq!(Canvas::new(64, 64).unwrap().num_actions(), 4 * 4096 + 1);
        assert_eq!(Canvas::around::<&Variant>([]), Err(CanvasError::NoVariants));
        let small = Canvas::new(4, 3).unwrap();
        let error = small.check(&Variant::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a board of 4 rows and 4 columns does not fit a canvas of 4 rows and 3 columns"
        );
    }
}
