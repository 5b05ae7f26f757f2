//! The plan of sequential halving.

/// The schedule of sequential halving: for each simulation, the visits that the action it takes has
/// had before in this search (Karnin et al. 2013; as in the library mctx).
///
/// All considered actions are visited equally often, then the better half of them, and so on down
/// to two.
pub(crate) fn schedule(considered: usize, simulations: usize) -> Vec<f32> {
    if considered <= 1 {
        return (0..simulations).map(|visits| visits as f32).collect();
    }
    let phases = considered.next_power_of_two().ilog2() as usize;
    let mut visits = vec![0.0; considered];
    let mut left = considered;
    let mut schedule = Vec::with_capacity(simulations + considered);
    while schedule.len() < simulations {
        for _ in 0..(simulations / (phases * left)).max(1) {
            schedule.extend_from_slice(&visits[..left]);
            for count in &mut visits[..left] {
                *count += 1.0;
            }
        }
        left = (left / 2).max(2);
    }
    schedule.truncate(simulations);
    schedule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_leaves_two() {
        let expected = [0., 0., 0., 0., 1., 1., 2., 2.];
        assert_eq!(schedule(4, 8), expected);
        assert_eq!(schedule(1, 3), [0., 1., 2.]);
        assert_eq!(schedule(16, 8), [0.; 8]);
    }
}
