//! The plan of sequential halving.

/// The schedule of sequential halving: for each simulation, the visits that the action it takes has
/// had before in this search (Karnin et al. 2013; as in the library mctx).
///
/// All considered actions are visited equally often, then the better half of them, and so on down
/// to two.
#[derive(Debug)]
pub(crate) struct Schedule(Vec<Phase>);

/// Simulations that visit the same number of actions in turn.
#[derive(Debug)]
struct Phase {
    /// The first simulation, and the one after the last.
    start: u32,
    end: u32,
    /// The number of actions that are left.
    left: u32,
    /// The visits that each of them has had before.
    visits: u32,
}

impl Schedule {
    pub(crate) fn new(considered: usize, simulations: usize) -> Self {
        let (mut left, simulations) = (considered as u32, simulations as u32);
        // A single action is the last phase from the start.
        let least = left.min(2);
        let num_phases = left.next_power_of_two().ilog2().max(1);
        let mut phases = Vec::new();
        let (mut start, mut visits) = (0, 0);
        while start < simulations {
            let rounds = if left == least {
                // The last actions are visited to the end.
                (simulations - start).div_ceil(left)
            } else {
                (simulations / (num_phases * left)).max(1)
            };
            let end = start + rounds * left;
            phases.push(Phase {
                start,
                end,
                left,
                visits,
            });
            (start, visits) = (end, visits + rounds);
            left = (left / 2).max(least);
        }
        Self(phases)
    }

    /// The visits so far of the action that this simulation takes. The simulation must be one of
    /// those planned.
    #[inline(always)]
    pub(crate) fn visits(&self, simulation: usize) -> f32 {
        let simulation = simulation as u32;
        let mut phases = self.0.iter();
        let phase = phases.find(|phase| simulation < phase.end);
        let phase = phase.expect("every simulation has its phase");
        (phase.visits + (simulation - phase.start) / phase.left) as f32
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // whole numbers
mod tests {
    use super::*;

    #[test]
    fn halving_leaves_two() {
        let schedule = |considered, simulations| {
            let schedule = Schedule::new(considered, simulations);
            (0..simulations).map(move |simulation| schedule.visits(simulation))
        };
        let expected = [0., 0., 0., 0., 1., 1., 2., 2.];
        assert!(schedule(4, 8).eq(expected));
        assert!(schedule(1, 3).eq([0., 1., 2.]));
        assert!(schedule(16, 8).eq([0.; 8]));
        for considered in 1..40 {
            for simulations in 1..200 {
                let listed = listed(considered, simulations);
                let same = schedule(considered, simulations).eq(listed);
                assert!(same, "{considered} actions, {simulations} simulations");
            }
        }
    }

    /// The schedule by counting visits, as the library mctx does.
    fn listed(considered: usize, simulations: usize) -> Vec<f32> {
        if considered == 1 {
            return (0..simulations).map(|visits| visits as f32).collect();
        }
        let phases = considered.next_power_of_two().ilog2() as usize;
        let mut visits = vec![0.0; considered];
        let mut left = considered;
        let mut schedule = Vec::new();
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

    #[test]
    fn a_schedule_takes_little_memory() {
        let schedule = Schedule::new(1024, 1 << 24);
        assert!(schedule.0.len() <= 10);
        assert_eq!(schedule.visits(0), 0.0);
        assert!(schedule.visits((1 << 24) - 1) > 1e5);
    }
}
