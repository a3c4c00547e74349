import { RunView, userMessage } from "./conversation.js";
import { button, byId, element } from "./elements.js";
import { loadPast, showPast } from "./past.js";
import { ask, askJson, readRun, ServerError } from "./server.js";
import { showThreads } from "./threads.js";

/** @typedef {{ id: string, name: string, description: string, tools: readonly { id: string }[] }} Agent */
/** @typedef {{ id: string, view: RunView, last: string | undefined }} ShownRun */

/** What to try, by the tool it needs: only what the agent can do is offered. */
const SUGGESTIONS = {
  calculator: "what is 12 * 7",
  lookUp: "explain replay",
  slowTask: "do something slow",
  sendEmail: "send a mail to ann@example.com saying lunch is ready",
  failingTool: "fail",
  clock: "what time is it",
};

const log = byId("log", HTMLElement);
const say = byId("say", HTMLTextAreaElement);
const agentField = byId("agent", HTMLSelectElement);
const state = byId("state", HTMLElement);
const usualState = state.textContent;

/** @type {readonly Agent[]} */
let agents = [];
/** @type {string | undefined} */
let threadId;
/** @type {ShownRun | undefined} the run that was shown last */
let shown;
/** @type {AbortController | undefined} set while events are being read */
let reading;

/** @param {unknown} error */
function complain(error) {
  const alert = byId("alert", HTMLElement);
  alert.hidden = false;
  alert.textContent = error instanceof ServerError ? error.message : `Something went wrong: ${String(error)}`;
}

/** Does something, and says what goes wrong with it. @param {() => Promise<void>} task */
function attempt(task) {
  byId("alert", HTMLElement).hidden = true;
  task().catch((error) => {
    if (!(error instanceof DOMException && error.name === "AbortError")) complain(error);
  });
}

/** @param {boolean} isBusy */
function setBusy(isBusy) {
  byId("send", HTMLButtonElement).hidden = isBusy;
  byId("stop", HTMLButtonElement).hidden = !isBusy;
  log.setAttribute("aria-busy", String(isBusy));
}

/** Goes on showing the end, unless the reader has scrolled away from it. @param {() => void} change */
function keepEnd(change) {
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  change();
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}

/**
 * Shows a run's events until it waits or is done.
 *
 * @param {ShownRun} run
 * @param {(signal: AbortSignal) => Promise<Response>} open
 */
async function follow(run, open) {
  reading?.abort();
  const control = new AbortController();
  reading = control;
  setBusy(true);
  try {
    const path = `/v1/runs/${encodeURIComponent(run.id)}/events`;
    for await (const { id, event } of readRun(await open(control.signal), path, control.signal)) {
      if (reading !== control) return;
      if (id !== undefined) run.last = id;
      let isKept = true;
      keepEnd(() => {
        isKept = run.view.show(event);
      });
      if (!isKept) return await readAnew(run);
      if (event.type === "run_finish") tellState(event.data.termination.type);
    }
  } finally {
    if (reading === control) {
      reading = undefined;
      setBusy(false);
      await refreshThreads();
    }
  }
}

/** What was shown was withdrawn: the run is shown again from its beginning. @param {ShownRun} run */
async function readAnew(run) {
  const fresh = { ...run, view: new RunView(decide), last: undefined };
  run.view.root.replaceWith(fresh.view.root);
  shown = fresh;
  await follow(fresh, (signal) => ask(`/v1/runs/${encodeURIComponent(run.id)}/events`, { signal }));
}

/** @param {string} termination */
function tellState(termination) {
  state.textContent = termination === "suspended" ? "A tool call waits for your decision." : usualState;
}

/** @param {string} text */
async function send(text) {
  const agentId = agentField.value;
  shown?.view.supersede();
  if (threadId === undefined) log.replaceChildren();
  log.append(userMessage(text));
  log.scrollTop = log.scrollHeight;
  const response = await ask("/v1/runs", {
    body: { agentId, messages: [{ role: "user", content: text }], ...(threadId !== undefined && { threadId }) },
  });
  const idIn = (/** @type {string} */ name) => decodeURIComponent(response.headers.get(name) ?? "");
  threadId = idIn("x-reprise-thread-id");
  history.replaceState(null, "", `#${encodeURIComponent(threadId)}`);
  const run = { id: idIn("x-reprise-run-id"), view: new RunView(decide), last: undefined };
  shown = run;
  log.append(run.view.root);
  byId("suggestions", HTMLElement).replaceChildren();
  await follow(run, async () => response);
}

/**
 * Decides about exactly what was shown, and goes on reading after what was read.
 *
 * @type {ConstructorParameters<typeof RunView>[0]}
 */
async function decide(callId, verb, { binding_hash, suspension }) {
  try {
    await askJson(`/v1/decisions/${encodeURIComponent(callId)}`, { ...verb, binding_hash, suspension });
  } catch (error) {
    complain(error);
    throw error;
  }
  const run = shown;
  if (run === undefined || reading !== undefined) return;
  const path = `/v1/runs/${encodeURIComponent(run.id)}/events`;
  attempt(() => follow(run, (signal) => ask(path, { lastEventId: run.last, signal })));
}

/** @param {string} id */
async function openThread(id) {
  reading?.abort();
  reading = undefined;
  setBusy(false);
  const past = await loadPast(id);
  threadId = id;
  shown = undefined;
  history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  log.replaceChildren(...showPast(past));
  byId("suggestions", HTMLElement).replaceChildren();
  const [latest] = past.runs;
  if (latest !== undefined) chooseAgent(latest.agent_id);
  await refreshThreads();
  log.scrollTop = log.scrollHeight;
  const open = past.runs.find(({ status }) => status !== "done");
  if (open === undefined) return tellState("natural_end");
  shown = { id: open.run_id, view: new RunView(decide), last: undefined };
  log.append(shown.view.root);
  const path = `/v1/runs/${encodeURIComponent(open.run_id)}/events`;
  await follow(shown, (signal) => ask(path, { signal }));
}

function beginThread() {
  reading?.abort();
  reading = undefined;
  setBusy(false);
  threadId = undefined;
  shown = undefined;
  history.replaceState(null, "", location.pathname);
  log.replaceChildren(
    element(
      "div",
      { class: "welcome" },
      element("h1", {}, "What shall we do?"),
      element("p", {}, "Every run is stored: close this page, stop the server, come back."),
    ),
  );
  tellState("natural_end");
  suggest();
  say.focus();
  attempt(refreshThreads);
}

/** Offers what the agent's tools can do, while nothing was said. */
function suggest() {
  const list = byId("suggestions", HTMLElement);
  const tools = agents.find(({ id }) => id === agentField.value)?.tools ?? [];
  const texts =
    threadId !== undefined ? [] : Object.entries(SUGGESTIONS).filter(([tool]) => tools.some(({ id }) => id === tool));
  list.replaceChildren(
    ...texts.map(([, text]) =>
      element(
        "li",
        {},
        button(text, "suggestion", () => attempt(() => send(text))),
      ),
    ),
  );
}

/** @param {string} id */
function chooseAgent(id) {
  if (agents.some((agent) => agent.id === id)) agentField.value = id;
  const agent = agents.find((each) => each.id === agentField.value);
  byId("purpose", HTMLElement).textContent = agent?.description ?? "";
}

function refreshThreads() {
  return showThreads(byId("threads", HTMLElement), threadId, (id) => {
    closeMenu();
    attempt(() => openThread(id));
  });
}

async function stop() {
  if (shown === undefined) return;
  await askJson(`/v1/runs/${encodeURIComponent(shown.id)}/cancel`, {});
}

function closeMenu() {
  byId("sidebar", HTMLElement).classList.remove("open");
  byId("menu", HTMLElement).setAttribute("aria-expanded", "false");
}

/** Opens the thread that the address names, or a new one. */
async function openAddress() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (wanted === "") beginThread();
  else await openThread(wanted);
}

async function begin() {
  const [{ items }, health] = await Promise.all([askJson("/v1/agents"), askJson("/health")]);
  agents = items;
  agentField.replaceChildren(...agents.map(({ id, name }) => element("option", { value: id }, name)));
  chooseAgent("default");
  byId("durability", HTMLElement).textContent = `Durability: ${health.durability}`;
  await openAddress();
}

function submit() {
  const text = say.value.trim();
  if (text === "" || reading !== undefined) return;
  say.value = "";
  attempt(() => send(text));
}

byId("composer", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
say.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  submit();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  closeMenu();
  if (reading !== undefined) attempt(stop);
});
byId("stop", HTMLButtonElement).addEventListener("click", () => attempt(stop));
byId("new-thread", HTMLButtonElement).addEventListener("click", () => {
  closeMenu();
  beginThread();
});
byId("menu", HTMLButtonElement).addEventListener("click", () => {
  const isOpen = byId("sidebar", HTMLElement).classList.toggle("open");
  byId("menu", HTMLElement).setAttribute("aria-expanded", String(isOpen));
});
agentField.addEventListener("change", () => {
  chooseAgent(agentField.value);
  suggest();
});

window.addEventListener("hashchange", () => attempt(openAddress));

attempt(begin);
