//! The mappings of a process, as `/proc/PID/maps` lists them. Pure.

/// One mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) writable: bool,
    pub(crate) executable: bool,
    /// Private to the process.
    pub(crate) private: bool,
    pub(crate) offset: u64,
    /// The file, or a word in brackets; empty for anonymous memory.
    pub(crate) name: String,
}

impl Mapping {
    /// Whether the address lies in the mapping.
    pub(crate) fn has(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// The file's name without its folder.
    pub(crate) fn file(&self) -> &str {
        let name = self.name.strip_suffix(" (deleted)").unwrap_or(&self.name);
        name.rsplit('/').next().unwrap_or(name)
    }
}

/// All mappings in address order. Malformed lines are skipped.
pub(crate) fn parse(text: &str) -> Vec<Mapping> {
    text.lines().filter_map(line).collect()
}

/// The mapping that contains an address.
pub(crate) fn of(maps: &[Mapping], address: u64) -> Option<&Mapping> {
    maps.iter().find(|mapping| mapping.has(address))
}

fn line(line: &str) -> Option<Mapping> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let mut words = rest.splitn(5, ' ');
    let rights = words.next()?.as_bytes();
    let offset = words.next()?;
    let (_device, _inode) = (words.next()?, words.next()?);
    let name = words.next().unwrap_or_default().trim_start().to_owned();
    let hexadecimal = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping {
        start: hexadecimal(start)?,
        end: hexadecimal(end)?,
        writable: rights.get(1) == Some(&b'w'),
        executable: rights.get(2) == Some(&b'x'),
        private: rights.get(3) == Some(&b'p'),
        offset: hexadecimal(offset)?,
        name,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const TEXT: &str = "\
00400000-00423000 r-xp 00001000 08:01 1234                               /usr/bin/python 3.11
7f00-7fff rw-p 00000000 00:00 0 
7fff0000-7fff2000 rw-s 00000000 00:00 7                                  /dev/shm/x (deleted)
nonsense
";

    #[test]
    fn every_line_that_makes_sense_is_a_mapping() {
        let maps = parse(TEXT);
        assert_eq!(maps.len(), 3);
        assert_eq!(maps[0].name, "/usr/bin/python 3.11");
        assert_eq!((maps[0].start, maps[0].end, maps[0].offset), (0x40_0000, 0x42_3000, 0x1000));
        assert!(maps[0].executable && !maps[0].writable && maps[0].private);
        assert_eq!((maps[1].name.as_str(), maps[1].writable), ("", true));
        assert_eq!((maps[2].file(), maps[2].private), ("x", false));
    }

    #[test]
    fn an_address_belongs_to_one_of_them() {
        let maps = parse(TEXT);
        assert_eq!(of(&maps, 0x41_0000).unwrap().file(), "python 3.11");
        assert_eq!(of(&maps, 0x42_3000), None);
    }

    #[test]
    fn our_own_are_read() {
        let maps = parse(&std::fs::read_to_string("/proc/self/maps").unwrap());
        assert!(maps.iter().any(|mapping| mapping.name == "[stack]" && mapping.writable));
        assert!(maps.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
}
