// Sentences of the list of captures.

const CAPTURES = {
  lead: "The newest first. A program that still runs can be opened too: its page follows it.",
  choose: "Choose two to compare them.",
  none: "No capture is here yet: `nilometer run train.py` makes one.",
};
