//! Games from arbitrary bytes on arbitrary boards.

use mijnlieff::encode::{action_of, move_of, num_actions, write_mask};
use mijnlieff::game::{Board, CellSet, Move, PlayError, Player, Position, Symmetry, Variant};

use super::input::Input;

/// The listed legal moves are legal by all other methods too, and they can be played; other moves
/// cannot.
pub fn legal_moves(data: &[u8]) {
    let mut input = Input::new(data);
    let variant = input.variant();
    let mut mask = vec![0; num_actions(&variant)];
    let mut position = Position::new(&variant);
    loop {
        let moves = position.legal_moves(&variant);
        assert_eq!(moves.len(), position.count_legal_moves(&variant));
        assert_eq!(moves.is_empty(), position.is_over(&variant));
        assert_eq!(moves == [Move::Pass], position.must_pass(&variant));
        write_mask(&variant, &position, &mut mask);
        let mut listed = moves.iter().peekable();
        for (action, &legal) in mask.iter().enumerate() {
            let mv = move_of(&variant, action).unwrap();
            assert_eq!(action_of(&variant, mv), action);
            let is_listed = listed.next_if_eq(&&mv).is_some();
            assert_eq!(is_listed, legal == 1, "{mv:?}");
            assert_eq!(is_listed, position.is_legal(&variant, mv), "{mv:?}");
            match position.play(&variant, mv) {
                Ok(next) => {
                    assert!(is_listed, "{mv:?}");
                    let unchecked = position.play_unchecked(&variant, mv);
                    assert_eq!(next, unchecked);
                    assert_eq!(next.last_move(), Some(mv));
                    assert_eq!(next.last_move(), unchecked.last_move());
                    assert_eq!(next.ply(), position.ply() + 1);
                }
                Err(PlayError::GameOver) => assert!(position.is_over(&variant)),
                Err(error) => {
                    assert!(!is_listed && !position.is_over(&variant), "{error}");
                }
            }
        }
        assert!(listed.next().is_none(), "the moves are in order");
        assert_eq!(move_of(&variant, mask.len()), None);
        if input.is_empty() || moves.is_empty() {
            return;
        }
        position = position.play_unchecked(&variant, input.one_of(&moves));
    }
}

/// `n - 2` for each run of `n >= 3` stones, counted along the rows, columns and diagonals.
fn points_by_runs(board: &Board, stones: CellSet) -> i32 {
    let has = |x: i32, y: i32| {
        let cell = usize::try_from(x).ok().zip(usize::try_from(y).ok());
        cell.and_then(|(x, y)| board.cell_at(x, y))
            .is_some_and(|cell| stones.contains(cell))
    };
    let mut points = 0;
    for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        for cell in stones {
            let (x, y) = board.cells()[cell.index()];
            let (x, y) = (i32::from(x), i32::from(y));
            if !has(x - dx, y - dy) {
                let run = (0..).take_while(|step| has(x + step * dx, y + step * dy));
                points += (run.count() as i32 - 2).max(0);
            }
        }
    }
    points
}

/// Every game ends, the number of pieces never changes, and the score is that of the runs on the
/// board.
pub fn pieces_and_points(data: &[u8]) {
    let mut input = Input::new(data);
    let variant = input.variant();
    let board = variant.board();
    let mut position = Position::new(&variant);
    let mut gained = [0_u16; 2];
    while let Some(mv) = input.legal_move(&variant, &position) {
        let player = position.side_to_move();
        if let Move::Place { cell, .. } = mv {
            gained[player.index()] += board
                .gains(position.stones(player), CellSet::EMPTY.with(cell))
                .at(cell);
        }
        position = position.play_unchecked(&variant, mv);
        assert!(position.ply() <= variant.max_game_length());
        assert_eq!(position.side_to_move(), player.opponent());
        assert!((position.stones(Player::Light) & position.stones(Player::Dark)).is_empty());
        assert!(
            board
                .all()
                .is_superset(position.occupied() | position.allowed())
        );
        assert!((position.allowed() & position.occupied()).is_empty());
        check_hands(&variant, &position);
        assert_eq!(position.score(&variant), gained);
    }
    assert!(position.is_over(&variant));
    let [light, dark] = Player::ALL.map(|player| points_by_runs(board, position.stones(player)));
    assert_eq!(position.score(&variant).map(i32::from), [light, dark]);
    assert_eq!(position.margin(&variant), light - dark);
}

/// For each player and type, the stones on the board and the pieces in hand are all there were.
pub(crate) fn check_hands(variant: &Variant, position: &Position) {
    let mut counts = Player::ALL.map(|player| position.hand(player).counts());
    for cell in position.occupied() {
        let (player, piece) = position.stone_at(cell).expect("the cell is occupied");
        counts[player.index()][piece.index()] += 1;
    }
    assert_eq!(counts, [variant.full_hand().counts(); 2]);
}

pub(crate) fn image(symmetry: &Symmetry, mv: Move) -> Move {
    match mv {
        Move::Pass => Move::Pass,
        Move::Place { piece, cell } => Move::Place {
            piece,
            cell: symmetry.cell(cell),
        },
    }
}

/// A game that is turned or mirrored is a game, and its positions are the images of the first.
pub fn symmetric_games(data: &[u8]) {
    let mut input = Input::new(data);
    let variant = input.variant();
    let symmetries = variant.board().symmetries();
    let symmetry = &symmetries[input.below(symmetries.len())];
    let (mut one, mut other) = (Position::new(&variant), Position::new(&variant));
    loop {
        for player in Player::ALL {
            assert_eq!(symmetry.cells(one.stones(player)), other.stones(player));
            assert_eq!(one.hand(player), other.hand(player));
        }
        for cell in one.occupied() {
            assert_eq!(one.stone_at(cell), other.stone_at(symmetry.cell(cell)));
        }
        assert_eq!(symmetry.cells(one.allowed()), other.allowed());
        assert_eq!(one.is_over(&variant), other.is_over(&variant));
        assert_eq!(one.score(&variant), other.score(&variant));
        let moves = one.count_legal_moves(&variant);
        assert_eq!(moves, other.count_legal_moves(&variant));
        if input.is_empty() {
            return;
        }
        let Some(mv) = input.legal_move(&variant, &one) else {
            return;
        };
        one = one.play_unchecked(&variant, mv);
        other = other
            .play(&variant, image(symmetry, mv))
            .expect("the image of a legal move is legal");
    }
}
