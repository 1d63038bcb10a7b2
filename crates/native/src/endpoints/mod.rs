//! How many requests and tasks of each kind have ended.
//!
//! In: the name of each one that ends. Out: its id, and the totals that changed since they were last told. What must not happen here:
//! growth without bound; a program that is asked for a million different paths has [`MAX_NAMED`] endpoints and one for the rest.

pub(crate) mod name;

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use nilometer_capture::CycleUnit;

/// Endpoints with a name of their own.
const MAX_NAMED: usize = 63;
/// The name of the rest.
const OTHER: &str = "other";

/// An endpoint whose name is to be written down.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct New {
    pub(crate) id: u64,
    pub(crate) name: String,
}

/// All endpoints of this process; ids count from 1.
#[derive(Debug)]
pub(crate) struct Endpoints {
    ids: Mutex<HashMap<CycleUnit, HashMap<String, usize>>>,
    totals: [AtomicU64; MAX_NAMED + 1],
    /// As they were last told.
    told: [AtomicU64; MAX_NAMED + 1],
    /// How many have ended in all, and had when they were last told.
    all: AtomicU64,
    all_told: AtomicU64,
}

impl Default for Endpoints {
    fn default() -> Self {
        Self {
            ids: Mutex::default(),
            totals: [const { AtomicU64::new(0) }; MAX_NAMED + 1],
            told: [const { AtomicU64::new(0) }; MAX_NAMED + 1],
            all: AtomicU64::new(0),
            all_told: AtomicU64::new(0),
        }
    }
}

impl Endpoints {
    /// Counts one that has ended; gives what is to be written if it is the first of its endpoint.
    pub(crate) fn count(&self, unit: CycleUnit, name: &str) -> Option<New> {
        let (place, new) = self.place(unit, name);
        if let Some(total) = self.totals.get(place) {
            total.fetch_add(1, Relaxed);
            self.all.fetch_add(1, Relaxed);
        }
        new.map(|name| New { id: place as u64 + 1, name })
    }

    fn place(&self, unit: CycleUnit, name: &str) -> (usize, Option<String>) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = ids.get(&unit).and_then(|of_unit| of_unit.get(name)) {
            return (*place, None);
        }
        let named: usize =
            ids.values().map(|of_unit| of_unit.keys().filter(|name| *name != OTHER).count()).sum();
        let of_unit = ids.entry(unit).or_default();
        let (name, place) = if named < MAX_NAMED { (name, named) } else { (OTHER, MAX_NAMED) };
        if let Some(place) = of_unit.get(name) {
            return (*place, None);
        }
        of_unit.insert(name.to_owned(), place);
        (place, Some(name.to_owned()))
    }

    /// The totals that changed since this was last asked, by id.
    pub(crate) fn changed(&self) -> Vec<(u64, u64)> {
        let all = self.all.load(Relaxed);
        if self.all_told.swap(all, Relaxed) == all {
            return Vec::new();
        }
        let pairs = self.totals.iter().zip(&self.told).enumerate();
        pairs
            .filter_map(|(place, (total, told))| {
                let total = total.load(Relaxed);
                (told.swap(total, Relaxed) != total).then_some((place as u64 + 1, total))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_told_when_they_change() {
        let endpoints = Endpoints::default();
        assert_eq!(endpoints.changed(), []);
        let new = |id, name: &str| Some(New { id, name: name.to_owned() });
        assert_eq!(endpoints.count(CycleUnit::Served, "GET /a"), new(1, "GET /a"));
        assert_eq!(endpoints.count(CycleUnit::Served, "GET /b"), new(2, "GET /b"));
        assert_eq!(endpoints.count(CycleUnit::Served, "GET /a"), None);
        assert_eq!(endpoints.changed(), [(1, 2), (2, 1)]);
        assert_eq!(endpoints.changed(), []);
        assert_eq!(endpoints.count(CycleUnit::Task, "GET /a"), new(3, "GET /a"));
        assert_eq!(endpoints.count(CycleUnit::Served, "GET /b"), None);
        assert_eq!(endpoints.changed(), [(2, 2), (3, 1)]);
    }

    #[test]
    fn endless_variety_is_bounded() {
        let endpoints = Endpoints::default();
        let new = (0..1000).filter_map(|index| endpoints.count(CycleUnit::Served, &format!("GET /{index}")));
        let new: Vec<New> = new.collect();
        assert_eq!(new.len(), MAX_NAMED + 1);
        assert_eq!(new.last(), Some(&New { id: MAX_NAMED as u64 + 1, name: OTHER.to_owned() }));
        let totals = endpoints.changed();
        assert_eq!(totals.iter().map(|(_, total)| total).sum::<u64>(), 1000);
        assert_eq!(totals.last(), Some(&(MAX_NAMED as u64 + 1, 1000 - MAX_NAMED as u64)));
        assert_eq!(endpoints.count(CycleUnit::Served, "GET /3"), None);
        assert_eq!(endpoints.changed(), [(4, 2)]);
    }
}
