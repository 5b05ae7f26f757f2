//! A frame: one shape of observations and actions for boards of different shapes.

use std::borrow::Borrow;

use thiserror::Error;

use super::observation::{cell_sets, hand_counts};
use super::{Feature, Layout};
use crate::game::{Board, Cell, Move, Piece, Position, Variant};

/// A rectangle of slots in which boards of different shapes have observations and actions of one
/// shape.
///
/// A board lies at the lower left corner: its cell in column `x` and row `y` has the slot in column
/// `x` and row `y`. Slots are numbered along the row from the lower left, then up. Slots without a
/// cell are 0 in every plane of cells, and their actions are never legal.
///
/// * **Actions**: `piece * area + slot`, and a pass as the last index, `4 * area`.
/// * **Observations**: [`Layout::Planes`] with the height and width of the frame; plane 3 marks the
///   cells that exist, and the planes of the hands are constant over the whole frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    height: u8,
    width: u8,
}

/// Why a frame cannot be made or used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// Too many rows or columns, or too few.
    #[error(
        "a frame has 1 to {} rows and columns, not {height} rows and {width} columns",
        Frame::MAX_SIDE
    )]
    Side {
        /// The rows.
        height: usize,
        /// The columns.
        width: usize,
    },
    /// A frame around nothing.
    #[error("a frame around variants needs at least one variant")]
    NoVariants,
    /// A board that is higher or wider than the frame.
    #[error(
        "a board of {board_height} rows and {board_width} columns does not fit a frame of {} rows and \
         {} columns", .frame.height, .frame.width
    )]
    TooSmall {
        /// The frame.
        frame: Frame,
        /// The rows of the board.
        board_height: usize,
        /// The columns of the board.
        board_width: usize,
    },
    /// A layout that frames do not have.
    #[error("observations on a frame are \"planes\", not {:?}", .found.name())]
    Layout {
        /// The layout.
        found: Layout,
    },
    /// An index that no action of the frame has.
    #[error("action {action} does not exist, the actions of this frame are 0 to {last}")]
    UnknownAction {
        /// The index.
        action: usize,
        /// The pass.
        last: usize,
    },
    /// An action on a slot where the board has no cell.
    #[error(
        "action {action} is on column {x} and row {y} of the frame, where this board has no cell"
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

impl Frame {
    /// The most rows or columns of a frame: those of the largest board.
    pub const MAX_SIDE: usize = Board::MAX_SIDE;

    /// A frame with so many rows and columns.
    ///
    /// # Errors
    ///
    /// Unless both are 1 to [`Frame::MAX_SIDE`].
    pub fn new(height: usize, width: usize) -> Result<Self, FrameError> {
        let sides = 1..=Self::MAX_SIDE;
        if !sides.contains(&height) || !sides.contains(&width) {
            return Err(FrameError::Side { height, width });
        }
        Ok(Self {
            height: height as u8,
            width: width as u8,
        })
    }

    /// The smallest frame that holds the boards of these variants.
    ///
    /// ```
    /// use mijnlieff::encode::Frame;
    /// use mijnlieff::game::{Board, Opening, Variant};
    ///
    /// let row = Board::from_blocks(&[(0, 0), (2, 0), (4, 0), (6, 0)])?;
    /// let row = Variant::new(row, Opening::default(), 2)?;
    /// let frame = Frame::around([&row, &Variant::default()])?;
    /// assert_eq!((frame.height(), frame.width()), (4, 8));
    /// assert_eq!(frame.num_actions(), 129);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When there is no variant.
    pub fn around<V: Borrow<Variant>>(
        variants: impl IntoIterator<Item = V>,
    ) -> Result<Self, FrameError> {
        let boxes = variants.into_iter().map(|variant| {
            let board = variant.borrow().board();
            (board.height(), board.width())
        });
        let around = boxes.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)));
        let (height, width) = around.ok_or(FrameError::NoVariants)?;
        Self::new(height, width)
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

    /// Slots.
    #[must_use]
    pub fn area(self) -> usize {
        self.height() * self.width()
    }

    /// The number of actions: one per piece type and slot, and the pass.
    #[must_use]
    pub fn num_actions(self) -> usize {
        self.pass_action() + 1
    }

    /// The index of the pass, the last action.
    #[must_use]
    pub fn pass_action(self) -> usize {
        Piece::ALL.len() * self.area()
    }

    /// The shape of one observation.
    #[must_use]
    pub fn observation_shape(self) -> [usize; 3] {
        [Layout::NUM_PLANES, self.height(), self.width()]
    }

    /// The numbers in one observation.
    #[must_use]
    pub fn observation_len(self) -> usize {
        Layout::NUM_PLANES * self.area()
    }

    /// Fails when the board of the variant does not fit.
    ///
    /// # Errors
    ///
    /// When the board is higher or wider than the frame.
    pub fn check(self, variant: &Variant) -> Result<(), FrameError> {
        let board = variant.board();
        if board.height() <= self.height() && board.width() <= self.width() {
            return Ok(());
        }
        Err(FrameError::TooSmall {
            frame: self,
            board_height: board.height(),
            board_width: board.width(),
        })
    }

    /// Fails unless frames have this layout, which is [`Layout::Planes`].
    ///
    /// # Errors
    ///
    /// For the other layouts.
    pub fn check_layout(layout: Layout) -> Result<(), FrameError> {
        match layout {
            Layout::Planes => Ok(()),
            found => Err(FrameError::Layout { found }),
        }
    }

    /// The slot of a cell of a board that fits.
    #[must_use]
    pub fn slot(self, variant: &Variant, cell: Cell) -> usize {
        let (x, y) = variant.board().cells()[cell.index()];
        usize::from(y) * self.width() + usize::from(x)
    }

    /// The cell in a slot; none where the board has none.
    #[must_use]
    pub fn cell(self, variant: &Variant, slot: usize) -> Option<Cell> {
        let (x, y) = (slot % self.width(), slot / self.width());
        variant.board().cell_at(x, y)
    }

    /// The index of a move on a cell of a board that fits, or of a pass.
    #[must_use]
    pub fn action_of(self, variant: &Variant, mv: Move) -> usize {
        match mv {
            Move::Pass => self.pass_action(),
            Move::Place { piece, cell } => piece.index() * self.area() + self.slot(variant, cell),
        }
    }

    /// The move with this index; none when the index is out of range or the board has no cell there.
    #[must_use]
    pub fn move_of(self, variant: &Variant, action: usize) -> Option<Move> {
        match Piece::ALL.get(action / self.area()) {
            Some(&piece) => {
                let cell = self.cell(variant, action % self.area())?;
                Some(Move::Place { piece, cell })
            }
            None => (action == self.pass_action()).then_some(Move::Pass),
        }
    }

    /// The frame's index of an action of the variant; none when the variant has no such action.
    #[must_use]
    pub fn action(self, variant: &Variant, action: usize) -> Option<usize> {
        super::move_of(variant, action).map(|mv| self.action_of(variant, mv))
    }

    /// The variant's index of an action of the frame.
    ///
    /// # Errors
    ///
    /// When the frame has no such action, or the board no cell there.
    pub fn variant_action(self, variant: &Variant, action: usize) -> Result<usize, FrameError> {
        if let Some(mv) = self.move_of(variant, action) {
            return Ok(super::action_of(variant, mv));
        }
        let last = self.pass_action();
        if action > last {
            return Err(FrameError::UnknownAction { action, last });
        }
        let slot = action % self.area();
        Err(FrameError::NotACell {
            action,
            x: slot % self.width(),
            y: slot / self.width(),
        })
    }

    /// Writes the observation of a position whose board fits.
    ///
    /// # Panics
    ///
    /// If `out` does not have [`Frame::observation_len`] entries.
    pub fn observe<T: Feature>(self, variant: &Variant, position: &Position, out: &mut [T]) {
        assert_eq!(out.len(), self.observation_len());
        let [own, opposing, allowed] = cell_sets(variant, position);
        let sets = [own, opposing, allowed, variant.board().all()];
        let (cells, hands) = out.split_at_mut(sets.len() * self.area());
        cells.fill(T::default());
        for (set, plane) in sets.into_iter().zip(cells.chunks_exact_mut(self.area())) {
            for cell in set {
                plane[self.slot(variant, cell)] = T::ONE;
            }
        }
        let planes = hands.chunks_exact_mut(self.area());
        for (plane, count) in planes.zip(hand_counts(position)) {
            plane.fill(T::hand(count, variant.copies()));
        }
    }

    /// Turns an observation into that of the other player, as [`super::exchange_sides`] does.
    ///
    /// # Panics
    ///
    /// If `row` does not have [`Frame::observation_len`] entries.
    pub fn exchange_sides<T: Feature>(self, row: &mut [T]) {
        assert_eq!(row.len(), self.observation_len());
        super::observation::exchange_planes(self.area(), row);
    }

    /// Writes 1 for every legal action of a position whose board fits, and 0 for the others; all 0
    /// when the game is over.
    ///
    /// # Panics
    ///
    /// If `mask` does not have [`Frame::num_actions`] entries.
    pub fn write_mask(self, variant: &Variant, position: &Position, mask: &mut [i8]) {
        assert_eq!(mask.len(), self.num_actions());
        mask.fill(0);
        for mv in position.legal_moves(variant) {
            mask[self.action_of(variant, mv)] = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{move_of, num_actions, observe, write_mask};
    use crate::game::Opening;
    use crate::random::{Draw, SplitMix64};

    /// On the box of the board itself a frame is the planes of the board; on a larger one the planes
    /// lie in its lower left corner.
    #[test]
    fn a_frame_shows_what_the_planes_of_the_board_show() {
        let board = Board::from_text("..##\n####\n.##.").unwrap();
        let variant = Variant::new(board, Opening::Anywhere, 3).unwrap();
        let frame = Frame::around([&variant]).unwrap();
        assert_eq!(frame.observation_shape(), [12, 3, 4]);
        let large = Frame::new(5, 6).unwrap();
        assert_eq!(large.check(&variant), Ok(()));
        let mut rng = SplitMix64::new(3);
        let mut position = Position::new(&variant);
        while !position.is_over(&variant) {
            let mut own = vec![0.5_f32; frame.observation_len()];
            observe(&variant, &position, Layout::Planes, &mut own);
            let mut framed = vec![0.5_f32; frame.observation_len()];
            frame.observe(&variant, &position, &mut framed);
            assert_eq!(framed, own);
            let mut larger = vec![0.5_f32; large.observation_len()];
            large.observe(&variant, &position, &mut larger);
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
            let mut framed = vec![9; large.num_actions()];
            large.write_mask(&variant, &position, &mut framed);
            for (action, &legal) in mask.iter().enumerate() {
                assert_eq!(framed[large.action(&variant, action).unwrap()], legal);
            }
            let sum = |mask: &[i8]| mask.iter().map(|&it| i32::from(it)).sum::<i32>();
            assert_eq!(sum(&framed), sum(&mask));
            let moves = position.legal_moves(&variant);
            let mv = moves[rng.below(moves.len() as u64) as usize];
            position = position.play(&variant, mv).unwrap();
        }
    }

    #[test]
    fn actions_are_converted_both_ways() {
        let board = Board::from_text("#.#\n###").unwrap();
        let variant = Variant::new(board, Opening::Outside, 2).unwrap();
        let frame = Frame::new(3, 4).unwrap();
        for action in 0..num_actions(&variant) {
            let on_frame = frame.action(&variant, action).unwrap();
            assert_eq!(frame.variant_action(&variant, on_frame), Ok(action));
            assert_eq!(frame.move_of(&variant, on_frame), move_of(&variant, action));
        }
        assert_eq!(frame.action(&variant, num_actions(&variant)), None);
        // The second row starts at slot 4, and its second slot is a gap.
        let gap = FrameError::NotACell {
            action: 12 + 5,
            x: 1,
            y: 1,
        };
        assert_eq!(frame.variant_action(&variant, 12 + 5), Err(gap));
        let unknown = FrameError::UnknownAction {
            action: 49,
            last: 48,
        };
        assert_eq!(frame.variant_action(&variant, 49), Err(unknown));
    }

    #[test]
    fn frames_have_bounds() {
        for (height, width) in [(0, 4), (4, 0), (65, 1), (1, usize::MAX)] {
            let error = FrameError::Side { height, width };
            assert_eq!(Frame::new(height, width), Err(error));
        }
        assert_eq!(Frame::new(64, 64).unwrap().num_actions(), 4 * 4096 + 1);
        assert_eq!(Frame::around::<&Variant>([]), Err(FrameError::NoVariants));
        let small = Frame::new(4, 3).unwrap();
        let error = small.check(&Variant::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a board of 4 rows and 4 columns does not fit a frame of 4 rows and 3 columns"
        );
    }
}
