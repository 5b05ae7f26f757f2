//! Which variants can have packed games.

use super::packed_game::{CELLS, PackedGame};
use crate::encode::{Canvas, Layout, PackError, VariantSet};
use crate::game::{Board, Variant};

impl PackedGame {
    /// Whether batches of these variants can hold packed games and write this layout.
    pub(crate) fn fits_all(variants: &VariantSet, layout: Layout) -> bool {
        let fills = |board: &Board| {
            let is_filled = |canvas: Canvas| canvas.area() == board.num_cells();
            variants.canvas().is_none_or(is_filled)
        };
        variants
            .only()
            .is_some_and(|variant| Self::fits(variant, layout) && fills(variant.board()))
    }

    /// Whether games of this variant can be packed and write this layout.
    pub(crate) fn fits(variant: &Variant, layout: Layout) -> bool {
        let board = variant.board();
        let square = board.width() * board.height() == CELLS;
        board.num_cells() == CELLS
            && PackError::check(variant).is_ok()
            && (square || layout != Layout::Planes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::game::Opening;

    fn variant(text: &str, copies: i64) -> Arc<Variant> {
        let board = Board::from_text(text).unwrap();
        Arc::new(Variant::new(board, Opening::Anywhere, copies).unwrap())
    }

    #[test]
    fn games_of_sixteen_cells_are_packed_and_their_planes_only_if_they_fill_them() {
        for (text, copies, fits, fits_planes) in [
            ("####\n####\n####\n####", 2, true, true),
            ("########\n########", 3, true, true),
            ("#####\n####.\n####.\n###..", 2, true, false),
            ("####\n####\n####\n###.", 2, false, false),
            ("####\n####\n####\n####", 4, false, false),
        ] {
            let variant = variant(text, copies);
            for layout in [Layout::Flat, Layout::Packed, Layout::Planes] {
                let expected = if layout == Layout::Planes {
                    fits_planes
                } else {
                    fits
                };
                assert_eq!(
                    PackedGame::fits(&variant, layout),
                    expected,
                    "{variant:?} {layout:?}"
                );
                let one = VariantSet::one(variant.clone());
                assert_eq!(PackedGame::fits_all(&one, layout), expected);
            }
        }
    }

    #[test]
    fn only_games_of_one_variant_that_fills_its_canvas_are_packed() {
        let square = Arc::new(Variant::default());
        let row = variant("########\n########", 2);
        let on_canvas = |variants: &[&Arc<Variant>], height, width| {
            let canvas = Canvas::new(height, width).unwrap();
            let variants = variants.iter().map(|&it| Arc::clone(it)).collect();
            VariantSet::on_canvas(variants, canvas).unwrap()
        };
        let fits = |variants: &VariantSet| PackedGame::fits_all(variants, Layout::Flat);
        assert!(fits(&on_canvas(&[&square], 4, 4)));
        assert!(!fits(&on_canvas(&[&square], 4, 5)));
        assert!(!fits(&on_canvas(&[&square, &row], 4, 8)));
    }
}
