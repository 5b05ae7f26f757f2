//! Limits that stop a search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use thiserror::Error;

use crate::memory::OutOfMemory;
use crate::tablebase::Damaged;

/// Nodes, positions or items between two checks whether to stop.
///
/// The flag is shared between threads; reading it at every node would cost more than the node.
pub(crate) const CHECK_INTERVAL: usize = 1024;

/// Limits that may stop a search before it is done; there are none by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// Set from another thread to stop the search.
    pub stop: Option<&'a AtomicBool>,
    /// The most positions to look into.
    pub max_nodes: Option<u64>,
    /// The time to stop at.
    pub deadline: Option<Instant>,
}

impl<'a> Limits<'a> {
    /// Only a stop flag.
    #[must_use]
    pub const fn stopped_by(stop: &'a AtomicBool) -> Self {
        Self {
            stop: Some(stop),
            max_nodes: None,
            deadline: None,
        }
    }

    /// Whether the stop flag has been set.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Fails when the stop flag has been set.
    ///
    /// # Errors
    ///
    /// [`Halt::Stopped`].
    #[inline]
    pub fn check_stop(&self) -> Result<(), Halt> {
        if self.is_stopped() {
            return Err(Halt::Stopped);
        }
        Ok(())
    }

    /// Starts to count the nodes of a search.
    #[must_use]
    pub const fn start(self) -> Meter<'a> {
        Meter {
            limits: self,
            nodes: 0,
        }
    }
}

/// Why a search ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Halt {
    /// The stop flag was set.
    #[error("the search was stopped")]
    Stopped,
    /// The node cap was reached.
    #[error("the search needs more than the {max_nodes} nodes allowed")]
    NodeLimit {
        /// The cap.
        max_nodes: u64,
    },
    /// The deadline passed.
    #[error("the search needs more than the time allowed")]
    TimeLimit,
    /// The search needs memory that the system does not grant.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// A part of the tablebase has changed since it was built.
    #[error(transparent)]
    Damaged(#[from] Damaged),
}

/// The nodes of a running search, against its limits.
#[derive(Debug)]
pub struct Meter<'a> {
    limits: Limits<'a>,
    nodes: u64,
}

impl Meter<'_> {
    /// The nodes so far.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// How many nodes may be counted at once by [`Meter::add`] and still keep to the limits.
    #[must_use]
    pub(super) fn stride(&self) -> u64 {
        let left = self
            .limits
            .max_nodes
            .map_or(u64::MAX, |max| max.saturating_sub(self.nodes));
        left.clamp(1, CHECK_INTERVAL as u64)
    }

    /// Counts nodes, and checks the flag and the clock.
    ///
    /// # Errors
    ///
    /// When the search has to end here.
    pub(super) fn add(&mut self, nodes: u64) -> Result<(), Halt> {
        self.look()?;
        match self.limits.max_nodes {
            Some(max_nodes) if self.nodes + nodes > max_nodes => Err(Halt::NodeLimit { max_nodes }),
            _ => {
                self.nodes += nodes;
                Ok(())
            }
        }
    }

    fn look(&self) -> Result<(), Halt> {
        let limits = &self.limits;
        limits.check_stop()?;
        if limits.deadline.is_some_and(|end| Instant::now() >= end) {
            return Err(Halt::TimeLimit);
        }
        Ok(())
    }

    /// Counts a node.
    ///
    /// # Errors
    ///
    /// When the search has to end here. The stop flag and the clock are checked once in a
    /// thousand nodes, and at the first.
    #[inline]
    pub fn count(&mut self) -> Result<(), Halt> {
        if self.nodes.is_multiple_of(CHECK_INTERVAL as u64) {
            self.look()?;
        }
        match self.limits.max_nodes {
            Some(max_nodes) if self.nodes >= max_nodes => Err(Halt::NodeLimit { max_nodes }),
            _ => {
                self.nodes += 1;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_nodes_are_counted_at_once_as_the_limits_allow() {
        let limited = |max_nodes| Limits {
            max_nodes,
            ..Limits::default()
        };
        assert_eq!(limited(None).start().stride(), CHECK_INTERVAL as u64);
        let limits = limited(Some(10));
        let mut meter = limits.start();
        assert_eq!(meter.stride(), 10);
        meter.add(7).unwrap();
        assert_eq!(meter.stride(), 3);
        meter.add(3).unwrap();
        assert_eq!(meter.stride(), 1);
        assert_eq!(meter.add(1), Err(Halt::NodeLimit { max_nodes: 10 }));
    }
}
