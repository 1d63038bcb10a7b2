//! Which GPU of the machine a device of CUDA's is.
//!
//! In: what the program said of its devices, and the driver of its GPUs. Out: the driver's number of the GPU, or why it is not known. CUDA
//! shows the GPUs that `CUDA_VISIBLE_DEVICES` lists, in its order. The list has numbers, which follow `CUDA_DEVICE_ORDER`, or UUIDs. What must
//! not happen here: a guess. Nothing said is better than another GPU's memory.

use std::collections::BTreeMap;

use nilometer_capture::{Capture, Record};

use super::whole::Unknown;

/// The order that the driver has, too. By default CUDA puts the fastest first, and then by addresses.
const BY_ADDRESS: &str = "PCI_BUS_ID";
const UUID: &str = "GPU-";

/// What facts say.
#[derive(Debug, Default)]
pub(super) struct Order<'c> {
    /// Those that the program may open, by the driver's numbers.
    gpus: BTreeMap<u64, Gpu<'c>>,
    visible: Option<&'c str>,
    by: Option<&'c str>,
    /// UUIDs that the framework knows, by CUDA's numbers.
    uuids: BTreeMap<u64, &'c str>,
    /// The driver was asked, whether it answered or not.
    pub(super) was_asked: bool,
    /// Why the driver told nothing.
    pub(super) refused: Option<&'c str>,
}

#[derive(Debug, Default)]
struct Gpu<'c> {
    uuid: &'c str,
    name: &'c str,
    is_cut: bool,
}

impl<'c> Order<'c> {
    pub(super) fn of(capture: &'c Capture) -> Self {
        let mut out = Self::default();
        for stamped in &capture.records {
            let Record::Fact { key, value } = &stamped.record else { continue };
            let mut words = key.split('.');
            let (whose, what, of) = (words.next(), words.next(), words.next());
            let number = || what.and_then(|number| number.parse::<u64>().ok());
            match (whose, what, of) {
                (Some("nvml"), Some("asked"), None) => out.was_asked = true,
                (Some("nvml"), Some("refused"), None) => out.refused = Some(value),
                (Some("nvml"), _, Some(of)) => {
                    let Some(number) = number() else { continue };
                    let gpu = out.gpus.entry(number).or_default();
                    match of {
                        "uuid" => gpu.uuid = value,
                        "name" => gpu.name = value,
                        "cut" => gpu.is_cut = value == "1",
                        _ => {}
                    }
                }
                (Some("cuda"), Some("visible_devices"), None) => out.visible = Some(value),
                (Some("cuda"), Some("device_order"), None) => out.by = Some(value),
                (Some("cuda"), _, Some("uuid")) => {
                    number().map(|number| out.uuids.insert(number, value)).unwrap_or_default();
                }
                _ => {}
            }
        }
        out
    }

    /// Whether the driver told of any GPU.
    pub(super) fn is_known(&self) -> bool {
        !self.gpus.is_empty()
    }

    /// The driver's number of CUDA's device `ordinal`.
    pub(super) fn index(&self, ordinal: u64) -> Result<u64, Unknown> {
        if let Some(uuid) = self.uuids.get(&ordinal) {
            return self.by_uuid(uuid);
        }
        if self.gpus.values().any(|gpu| gpu.is_cut) {
            return Err(Unknown::Cut);
        }
        let nth = usize::try_from(ordinal).unwrap_or(usize::MAX);
        match self.visible {
            None => self.by_number(nth),
            Some(list) => {
                let word = list.split(',').nth(nth).map_or("", str::trim);
                if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
                    word.parse().map_or(Err(Unknown::Which), |number| self.by_number(number))
                } else if word.to_ascii_lowercase().starts_with(&UUID.to_ascii_lowercase()) {
                    self.by_uuid(word)
                } else {
                    Err(Unknown::Which)
                }
            }
        }
    }

    /// By CUDA's own order of all GPUs.
    fn by_number(&self, nth: usize) -> Result<u64, Unknown> {
        let first = self.gpus.values().next().map_or("", |gpu| gpu.name);
        let are_alike = self.gpus.values().all(|gpu| gpu.name == first) && !first.is_empty();
        if self.by != Some(BY_ADDRESS) && !are_alike && self.gpus.len() > 1 {
            return Err(Unknown::Which);
        }
        self.gpus.keys().nth(nth).copied().ok_or(Unknown::Which)
    }

    /// By a UUID, or by a beginning of it that one GPU has.
    fn by_uuid(&self, uuid: &str) -> Result<u64, Unknown> {
        let wanted = bare(uuid);
        let mut found = self.gpus.iter().filter(|(_, gpu)| bare(gpu.uuid).starts_with(&wanted));
        match (found.next(), found.next()) {
            (Some((number, gpu)), None) if !wanted.is_empty() && !gpu.is_cut => Ok(*number),
            _ => Err(Unknown::Which),
        }
    }
}

/// A UUID as frameworks write it.
fn bare(uuid: &str) -> String {
    let uuid = uuid.to_ascii_lowercase();
    uuid.strip_prefix(&UUID.to_ascii_lowercase()).unwrap_or(&uuid).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order<'c>(
        gpus: &[(u64, &'c str, &'c str)],
        visible: Option<&'c str>,
        by: Option<&'c str>,
    ) -> Order<'c> {
        let gpu =
            |(number, uuid, name): &(u64, &'c str, &'c str)| (*number, Gpu { uuid, name, is_cut: false });
        Order { gpus: gpus.iter().map(gpu).collect(), visible, by, ..Order::default() }
    }

    const ALIKE: [(u64, &str, &str); 3] =
        [(0, "GPU-aa00", "H100"), (1, "GPU-ab11", "H100"), (2, "GPU-ff22", "H100")];
    const MIXED: [(u64, &str, &str); 2] = [(0, "GPU-aa00", "T4"), (1, "GPU-ab11", "H100")];

    #[test]
    fn the_list_of_visible_devices_chooses_and_orders() {
        for (visible, ordinal, index) in [
            (None, 1, Ok(1)),
            (None, 3, Err(Unknown::Which)),
            (Some("2,0"), 0, Ok(2)),
            (Some("2,0"), 1, Ok(0)),
            (Some("2, 0"), 1, Ok(0)),
            (Some("2,0"), 2, Err(Unknown::Which)),
            (Some(""), 0, Err(Unknown::Which)),
            (Some("-1"), 0, Err(Unknown::Which)),
            (Some("7"), 0, Err(Unknown::Which)),
            (Some("GPU-ff22"), 0, Ok(2)),
            (Some("gpu-FF"), 0, Ok(2)),
            (Some("GPU-a"), 0, Err(Unknown::Which)),
            (Some("GPU-"), 0, Err(Unknown::Which)),
            (Some("MIG-ff22"), 0, Err(Unknown::Which)),
        ] {
            assert_eq!(order(&ALIKE, visible, None).index(ordinal), index, "{visible:?} {ordinal}");
        }
    }

    #[test]
    fn gpus_that_differ_have_an_order_only_where_it_is_that_of_addresses() {
        assert_eq!(order(&MIXED, None, None).index(0), Err(Unknown::Which));
        assert_eq!(order(&MIXED, None, Some("FASTEST_FIRST")).index(0), Err(Unknown::Which));
        assert_eq!(order(&MIXED, Some("1"), Some(BY_ADDRESS)).index(0), Ok(1));
        assert_eq!(order(&MIXED, Some("GPU-ab11"), None).index(0), Ok(1));
        assert_eq!(order(&MIXED[..1], None, None).index(0), Ok(0));
        assert_eq!(order(&[(0, "GPU-aa", ""), (1, "GPU-bb", "")], None, None).index(0), Err(Unknown::Which));
    }

    #[test]
    fn what_may_not_be_opened_has_no_number_in_cuda() {
        assert_eq!(order(&ALIKE[1..], Some("0"), None).index(0), Ok(1));
    }

    #[test]
    fn the_frameworks_own_uuid_is_believed_before_all_else() {
        let mut order = order(&MIXED, Some("0"), None);
        order.uuids.insert(0, "AB11");
        assert_eq!(order.index(0), Ok(1));
        order.uuids.insert(0, "cc");
        assert_eq!(order.index(0), Err(Unknown::Which));
    }

    #[test]
    fn where_gpus_are_cut_numbers_are_of_their_parts() {
        let mut order = order(&ALIKE, None, None);
        order.gpus.entry(2).or_default().is_cut = true;
        assert_eq!(order.index(0), Err(Unknown::Cut));
        order.uuids.insert(0, "aa00");
        assert_eq!(order.index(0), Ok(0));
    }
}
