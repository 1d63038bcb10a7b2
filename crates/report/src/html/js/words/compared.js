// Sentences of the page of two runs.

const COMPARED = {
  growth: (unit) => `What stays from ${unit} to ${unit}, before and now.`,
  alive: {
    title: "Alive at the end",
    lead: "What the program had when it was last seen. A part that does not grow is no leak.",
  },
  levels: "Kinds of memory, and how high it stood.",
  same: (count) => `${count} the same, as far as can be told`,
  curve: {
    title: "Live memory of both runs",
    lead: (unit) => `After each ${unit} of both runs. The axis does not begin at 0.`,
    told: (from, to, before, now, unit) =>
      `Live memory from ${from} to ${to}: before ${before}, now ${now}. Arrow keys read it ${unit} by ${unit}.`,
  },
  madeBy:
    "Made by nilometer from the captures of two runs. " +
    "What was sampled counts as changed only beyond what sampling makes differ.",
};
