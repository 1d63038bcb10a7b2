// Sentences that more than one page says.

const SHARED = {
  theme: "Turn light to dark and back",
  table: "The numbers as a table",
  point: (steps) => `Point at the picture, or focus it and use the arrow keys, to read values${steps}.`,
  units: "Sizes are binary: 1 MiB is 1,048,576 bytes.",
};
