// The survivor matrix: a row per cycle of birth, a column per age, as strong as the memory that still lives.

function matrixSection(report, profile) {
  const rows = profile?.survivors ?? [];
  if (rows.length < 3) return null;
  const unit = report.cycles.unit;
  const state = { rows, report, profile, unit, at: null };
  const readout = h("p", { class: "readout", "aria-live": "polite" }, matrixSummary(state));
  const canvas = h("canvas", {
    class: "matrix",
    tabindex: "0",
    role: "application",
    "aria-roledescription": "matrix",
    "aria-label": PICTURES.survivors.told(unit),
  });
  const holder = h("div", { class: "matrix-box" }, canvas);
  const grid = { top: 22, left: 64 };
  const draw = () => holder.clientWidth && drawMatrix(canvas, holder.clientWidth, state, grid);
  const show = (birth, age) => {
    if (rows[birth]?.[age] === undefined) return;
    state.at = { birth, age };
    draw();
    readout.replaceChildren(...cellWords(state));
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - grid.left, event.clientY - box.top - grid.top];
    if (x >= 0 && y >= 0) show(Math.floor(y / grid.row), Math.floor(x / grid.column));
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!state.at) show(0, 0);
    else show(state.at.birth + step[0], Math.max(0, Math.min(state.at.age + step[1], (rows[state.at.birth + step[0]]?.length ?? 1) - 1)));
  });
  onColors(canvas, draw);
  queueMicrotask(() => onWidth(holder, draw));
  return section(
    "survivors",
    "Survivors",
    PICTURES.survivors.lead(unit, isBinned(profile) ? " (or a few)" : ""),
    holder,
    readout,
  );
}

function isBinned(profile) {
  return profile.cycles.some((cycle, i) => i > 0 && cycle > profile.cycles[i - 1] + 1);
}

/** What the strongest cell stands for: start-up, in the first rows, would make all else pale. */
function strongest(rows) {
  const later = rows.slice(Math.min(2, rows.length - 1)).flat();
  return Math.max(1, ...later);
}

function drawMatrix(canvas, width, { rows, profile, unit, at }, grid) {
  const ages = rows[0].length;
  const column = Math.min(26, (width - grid.left - 4) / ages);
  const row = Math.min(20, Math.max(5, 420 / rows.length));
  Object.assign(grid, { column, row });
  const sharp = window.devicePixelRatio || 1;
  const height = grid.top + row * rows.length + 4;
  canvas.width = Math.round(width * sharp);
  canvas.height = Math.round(height * sharp);
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx.scale(sharp, sharp);
  ctx.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const [cell, ink, faint, empty] = ["cell", "ink", "faint", "cell-empty"].map(color);
  const most = strongest(rows);
  rows.forEach((values, birth) => {
    values.forEach((bytes, age) => {
      const [x, y] = [grid.left + age * column, grid.top + birth * row];
      ctx.fillStyle = empty;
      ctx.globalAlpha = 1;
      ctx.fillRect(x, y, column - 1, row - 1);
      ctx.fillStyle = cell;
      ctx.globalAlpha = Math.sqrt(Math.min(1, Math.max(0, bytes) / most));
      ctx.fillRect(x, y, column - 1, row - 1);
    });
  });
  ctx.globalAlpha = 1;
  ctx.fillStyle = faint;
  ctx.textBaseline = "middle";
  ctx.fillText(`age in ${isBinned(profile) ? "rows" : plural(unit)} \u2192`, grid.left, 10);
  ctx.textAlign = "right";
  let free = -Infinity;
  rows.forEach((_, birth) => {
    const y = grid.top + birth * row + row / 2;
    if (y - free < 16) return;
    ctx.fillText(number(profile.cycles[birth]), grid.left - 8, y);
    free = y;
  });
  if (at) {
    ctx.strokeStyle = ink;
    ctx.lineWidth = 2;
    ctx.strokeRect(grid.left + at.age * column, grid.top + at.birth * row, column - 1, row - 1);
  }
}

function cellWords({ rows, profile, unit, at }) {
  const bytes = rows[at.birth][at.age];
  const born = rows[at.birth][0];
  const when = profile.cycles[at.birth + at.age];
  const share = born > 0 && at.age > 0 ? PICTURES.survivors.share(percent(bytes / born), unit) : "";
  return [h("b", {}, PICTURES.survivors.born(binWords(at.birth, profile, unit), `${unit} ${number(when)}`)), `${size(bytes)} alive${share}`];
}

/** What the picture shows, in a sentence: of what was born in the judged rows, how much is alive at the end. */
function matrixSummary({ rows, report, profile, unit }) {
  const since = report.growth?.since_cycle ?? 2;
  const judged = rows.filter((values, birth) => profile.cycles[birth] >= since && values.length >= 3);
  if (judged.length === 0) return PICTURES.survivors.point;
  const lasting = judged.map((values) => values.at(-1));
  const mean = lasting.reduce((sum, bytes) => sum + bytes, 0) / judged.length;
  const staying = lasting.filter((bytes) => bytes > 0).length;
  return PICTURES.survivors.staying(counted(judged.length, isBinned(profile) ? "row" : unit), number(staying), size(mean));
}
