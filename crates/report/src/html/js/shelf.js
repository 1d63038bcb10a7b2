// The captures of a folder: what each says, and two to compare.

const EVERY = 3000; // milliseconds between two looks into the folder
const FEW = 8; // captures that need no search

function show({ shelf }) {
  const main = document.getElementById("report");
  const state = { items: [], chosen: [], said: new Map(), filter: "" };
  fillHead(nameLine(h("code", {}, shelf.folder)));
  const list = h("ul", { class: "shelf" });
  const words = h("span", { class: "found", role: "status" });
  const compare = button("Compare", { disabled: true }, () => {
    const [a, b] = pair(state);
    location.assign(`/compare/${a.key}/${b.key}`);
  });
  const search = h("input", { type: "search", placeholder: "name", "aria-label": "Search captures", hidden: true });
  const draw = () => {
    const shown = state.items.filter(({ name }) => name.toLowerCase().includes(state.filter));
    list.replaceChildren(...shown.map((item) => shelfItem(item, state, update)));
    search.hidden = state.items.length <= FEW;
    update();
  };
  const update = () => {
    const two = pair(state);
    compare.disabled = two.length !== 2;
    words.textContent = two.length === 2 ? `${two[0].name}, then ${two[1].name}` : CAPTURES.choose;
  };
  search.addEventListener("input", () => {
    state.filter = search.value.trim().toLowerCase();
    draw();
  });
  main.append(
    section("shelf", "Captures", CAPTURES.lead,
      h("div", { class: "bar" }, compare, words, search), list),
  );
  const take = ({ items }) => {
    const same = JSON.stringify(items) === JSON.stringify(state.items);
    state.items = items;
    state.chosen = state.chosen.filter((key) => items.some((one) => one.key === key));
    if (!same) draw();
  };
  take(shelf);
  if (shelf.items.length === 0) main.querySelector(".lead").textContent = CAPTURES.none;
  fillFoot("Made by nilometer.");
  whole(main);
  ask(state, draw);
  setInterval(() => document.hidden || look(state, take, draw), EVERY);
}

/** Those that were chosen, the older first. */
function pair({ chosen, items }) {
  return items.filter(({ key }) => chosen.includes(key)).reverse();
}

async function look(state, take, draw) {
  try {
    const { shelf } = await (await fetch("/list")).json();
    take(shelf);
    await ask(state, draw);
  } catch {
    // The server has ended: what is here stays.
  }
}

/** Asks for what each capture says, one after the other; again where a file changed. */
async function ask(state, draw) {
  if (state.asking) return;
  state.asking = true;
  try {
    for (const { key, bytes, modified } of state.items) {
      const stamp = `${bytes} ${modified}`;
      if (state.said.get(key)?.stamp === stamp && !state.said.get(key).running) continue;
      const summary = await (await fetch(`/summary/${key}`)).json();
      const before = JSON.stringify({ ...state.said.get(key), stamp: 0 });
      state.said.set(key, { ...summary, stamp });
      if (JSON.stringify({ ...summary, stamp: 0 }) !== before) draw();
    }
  } finally {
    state.asking = false;
  }
}

function shelfItem({ name, key, bytes, modified }, state, update) {
  const said = state.said.get(key);
  const id = `choose-${key}`;
  const choose = h("input", { type: "checkbox", id, "aria-label": `Choose ${name}`, checked: state.chosen.includes(key) });
  choose.addEventListener("change", () => {
    // A third choice takes the place of the first.
    state.chosen = choose.checked ? [...state.chosen, key].slice(-2) : state.chosen.filter((one) => one !== key);
    for (const one of document.querySelectorAll(".shelf input")) one.checked = state.chosen.includes(one.id.slice("choose-".length));
    update();
  });
  const when = modified === null ? "" : new Date(modified * 1000).toLocaleString();
  return h("li", { class: said?.verdict ?? "" },
    choose,
    h("div", {},
      h("a", { href: `/capture/${key}` }, h("code", {}, name)),
      h("p", { class: "note" }, [said?.course, when, size(bytes)].filter(Boolean).join(" \u00b7 ")),
    ),
    h("p", { class: "says" }, ...shelfWords(said)),
  );
}

/** What a capture says in short. */
function shelfWords(said) {
  if (!said) return [h("span", { class: "note" }, "reading")];
  if (said.error) return [h("span", { class: "note" }, said.error)];
  const rate = said.verdict === "leak" && said.bytes_per_cycle !== null ? ` ${added(said.bytes_per_cycle)} per ${said.unit}` : "";
  return [h("b", {}, VERDICTS[said.verdict]), rate, said.running && h("span", { class: "badge running" }, "running")].filter(Boolean);
}
