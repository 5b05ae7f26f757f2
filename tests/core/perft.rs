//! Counts of action sequences against the published check values.

use mijnlieff::game::{Board, Position, Variant, perft};

#[test]
fn counts_match_the_check_values() {
    let lines = include_str!("../data/check_values.perft").lines();
    let mut checked = 0;
    for line in lines.filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let blocks: Vec<(i32, i32)> = fields[0]
            .split(' ')
            .map(|block| block.split_once(',').unwrap())
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect();
        let board = Board::from_blocks(&blocks).unwrap();
        let variant = Variant::new(
            board,
            fields[1].parse().unwrap(),
            fields[2].parse().unwrap(),
        )
        .unwrap();
        for (depth, count) in (1..).zip(fields[3].split(' ')) {
            let found = perft(&variant, &Position::new(&variant), depth);
            assert_eq!(
                found,
                count.parse::<u64>().unwrap(),
                "depth {depth} of {line}"
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 4 * 4 + 2 * 3);
}
