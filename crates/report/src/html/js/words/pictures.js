// Sentences of the pictures of a run: leads, legends, hints, and each picture in words for those who don't see it.

const PICTURES = {
  curve: {
    lead: "Each layer is memory at that moment: a leak is a lower layer that climbs with every cycle.",
    nothing: "Nothing was read in this run: it was too short.",
    range: "Range of the picture",
    limit: (hasForecast) => (hasForecast ? "to the limit, with forecast" : "to the limit"),
    live: "in use by the program",
    retained: "resident, not live: free memory that the allocator keeps, and stacks",
    file: "mapped files, which the kernel can drop",
    work: "training, or other work",
    close: "live memory; the axis does not begin at 0",
    pages: (unit) => ` ${unit} by ${unit} (page keys)`,
    beforeFirst: (unit) => `before the end of the first ${unit}`,
    told: (time, first, last, most, when, verdict) =>
      `Memory over ${time}: live memory from ${first} to ${last}, anonymous memory at most ${most} after ${when}. ` +
      `${verdict}. Arrow keys read it point by point.`,
  },
  flame: {
    lead:
      "Each bar is a line of a program, as wide as the memory that was made below it. " +
      "The lines that it called lie beneath. Your own lines are coloured. Press a bar to zoom in.",
    told:
      "Flame graph. Arrow keys move between frames, Enter zooms in, Escape zooms out. " +
      "The table below has the heaviest lines.",
    merged: "merged with machine code",
    births: "live memory of these births",
    shrank: (bytes) => `; other stacks shrank by ${bytes}`,
    own: (bytes) => `, ${bytes} of it in no line below`,
    folded: (frames) => ` (up to ${frames} frames, folded)`,
    found: (places, share) => `${places}, ${share}. Enter zooms to the next.`,
    noLine: "no line of Python",
    table: "The heaviest lines as a table",
  },
  survivors: {
    lead: (unit, few) =>
      `Each row is memory born in one ${unit}${few}, followed to the right as it ages. ` +
      "A row that fades at once was needed for a moment. Rows that keep their strength to the end are what a leak is made of.",
    told: (unit) => `Survivors by ${unit} of birth and age. Arrow keys move between cells.`,
    point: "Point at a cell to read it.",
    share: (share, unit) => `, ${share} of what outlived its own ${unit}`,
    born: (bin, when) => `Born in ${bin}, at the end of ${when}: `,
    staying: (rows, staying, mean) =>
      `Of ${rows} that could show it, ${staying} ${staying === "1" ? "has" : "have"} memory alive at the end, ${mean} in the mean. ` +
      "Point at a cell to read it.",
  },
};
