// The page while the program runs: the server says when the capture was read anew, and the sections are made again. What
// somebody reads at that moment stays as it is.

/** Sections that somebody pressed something in since they were made. */
const pressed = new WeakSet();

/** Follows the program until it ends. */
function follow({ served }) {
  const main = document.getElementById("report");
  const badge = h("p", { class: "badge", role: "status" });
  document.querySelector("#top .name").after(badge);
  const state = { version: served.version, running: served.running, stream: null, badge, data: null };
  document.documentElement.dataset.version = String(served.version);
  say(badge, served.running ? "running" : "ended", served.running ? "running" : "ended");
  if (!served.running) return;
  for (const kind of ["pointerdown", "keydown"]) {
    main.addEventListener(kind, (event) => {
      const section = event.target.closest("#report > section");
      if (section && event.key !== "Tab") pressed.add(section);
    });
  }
  // A browser has few connections to one server: a page that nobody looks at gives its own back.
  document.addEventListener("visibilitychange", () => listen(served, state));
  listen(served, state);
}

function say(badge, kind, words) {
  if (badge.textContent === words) return;
  badge.className = `badge ${kind}`;
  badge.replaceChildren(words);
}

function listen(served, state) {
  state.stream?.close();
  state.stream = null;
  if (document.hidden || !state.running) return;
  const stream = new EventSource(served.events);
  state.stream = stream;
  stream.addEventListener("version", (event) => refresh(served, state, Number(event.data)));
  stream.addEventListener("ended", (event) => {
    state.running = false;
    stream.close();
    refresh(served, state, Number(event.data));
  });
  stream.onopen = () => say(state.badge, "running", "running");
  stream.onerror = () => state.running && say(state.badge, "away", "not connected");
}

/** Gets what is new and shows it. */
async function refresh(served, state, version) {
  if (version > state.version) {
    try {
      const answer = await fetch(served.data);
      if (!answer.ok) throw new Error(answer.statusText);
      const data = await answer.json();
      if (data.served.version > state.version) renew(data, state);
    } catch {
      // The next word of the server, or the connection's return, brings it.
      say(state.badge, "away", "not connected");
      return;
    }
  }
  say(state.badge, state.running ? "running" : "ended", state.running ? "running" : "ended");
}

function renew(data, state) {
  state.version = data.served.version;
  state.data = data;
  document.title = data.title;
  standing.forEach((old, i) => {
    if (old && isRead(old, i)) offer(i, state);
    else again(i, data);
  });
  colors.listeners = colors.listeners.filter(({ element }) => element.isConnected);
  navigation(document.getElementById("report"));
  document.documentElement.dataset.version = String(state.version);
}

/** Makes a section again, with what was unfolded unfolded. */
function again(i, data) {
  const open = [...(standing[i]?.querySelectorAll("details") ?? [])].map((one) => one.open);
  put(i, data);
  const now = [...(standing[i]?.querySelectorAll("details") ?? [])];
  if (now.length === open.length) now.forEach((one, k) => (one.open = open[k]));
}

/** Whether taking a section away would take it from somebody's hands: the pointer, the keyboard or a mark is in it. */
function isRead(section, i) {
  const marked = getSelection();
  const isMarked = marked && !marked.isCollapsed && section.contains(marked.anchorNode);
  const isHeld = isMarked || section.querySelector(":focus-visible") !== null;
  return i < FIRST ? isHeld || section.querySelector(".chart:hover") !== null : isHeld || pressed.has(section);
}

/** A button that brings what is new into a section that was left as it is. */
function offer(i, state) {
  const heading = standing[i].querySelector("h1, h2");
  if (heading.nextElementSibling?.classList.contains("newer")) return;
  heading.after(button(RUN.newer, { class: "newer" }, () => again(i, state.data)));
}
