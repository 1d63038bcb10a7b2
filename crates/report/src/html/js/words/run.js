// Sentences of the page of a run, by section: how it is introduced, its labels, its pictures in words.

const RUN = {
  redacted: "Paths, arguments and source were left out.",
  madeBy: (pid) => `Made by nilometer from the capture of one run${pid}.`,
  newer: "Show what is new",
  verdict: {
    explained: (share) => `${share} of it by the findings below`,
    cost: (share) => `, ${share} of the program's CPU time`,
  },
  findings: {
    lead:
      "Who keeps the memory, the lines that made it, what to change, and the command that proves the change. " +
      "Each is an estimate from samples, with its 95 % interval where that is wide.",
    noLine:
      "No line stands out: the growth is spread over more places than samples can tell apart. " +
      "A longer run tells more.",
    notRecorded: (recorder) => `Which line made the memory was not recorded${recorder ? ` (recorder ${recorder})` : ""}.`,
    elements: (count) => ` ${count} elements`,
    stack: (frames) => `The stack that made most of it: ${frames}`,
  },
  proof: {
    lead: (asItIs) =>
      `The program as it is: ${asItIs}. ` +
      "Then it was run again, each time with one change, or with several that reduced the growth.",
    noGrowth: "no growth to be seen",
    notTried: (names) => `no time was left for: ${names}`,
  },
  warnings: "The verdict is the same with and without.",
  devices: "What frameworks have of each device. Memory that is only reserved is no leak.",
  othersUnknown: (device, why) => `what other processes hold of ${device} is not known: ${why}`,
  processes: "Anonymous memory of the processes that the program started.",
  components: { noLeak: "What the memory is", leak: "What the curve is made of" },
  start: {
    title: "Memory before the work repeats",
    lead: (total) =>
      `What starting up took once: ${total}. Each bar begins where the one above it ended. ` +
      "It is needed again in every run, and is no leak.",
  },
  phases: {
    change: "change of live memory",
    lead: "Where the time went, and where live memory rose or fell. A rise that lies across two phases is laid to neither.",
    part: " Of a phase that came very often, only a part was recorded.",
  },
  framework: {
    title: "What the framework counts",
    lead: (unit) =>
      `Graphs, functions and registries that a framework keeps. A count that rises with every ${unit} is memory that stays.`,
    again: "Traced again and again",
  },
  holders:
    "What the program could still reach at the last look at its heap, and the path that keeps it. " +
    "Memory below several paths counts for one of them.",
  types: (looks) =>
    `How many objects of each type Python's collector tracked, at ${looks} looks at the heap. ` +
    "Types that became more come first. The objects of a line that rises from look to look stay. " +
    "Each line has its own scale, which begins at 0; lines that go on rising are coloured.",
  losses: {
    none: "Nothing was lost: all that nilometer set out to record was recorded.",
    lead: "What could not be recorded or read. The rest of this page rests on what was.",
    recorder: (state) => `the recorder of allocations was ${state}`,
  },
};
