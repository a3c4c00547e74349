import { Chat } from "./chat.js";
import { button, byId, element } from "./elements.js";
import { askJson, ServerError } from "./server.js";
import { showThreads } from "./threads.js";

/** @typedef {{ id: string, name: string, description: string, tools: readonly { id: string }[] }} Agent */

/** What to try, by the tool it needs: only what the agent can do is offered. */
const SUGGESTIONS = {
  calculator: "what is 12 * 7",
  lookUp: "explain replay",
  slowTask: "do something slow",
  sendEmail: "send a mail to ann@example.com saying lunch is ready",
  failingTool: "fail",
  clock: "what time is it",
};

/** @type {Readonly<Record<string, string>>} what the store promises */
const SURVIVES = {
  "power-loss": "What you see here survives a power cut.",
  "process-crash": "What you see here survives a crash of the server.",
  none: "What you see here is gone when the server ends.",
};

const log = byId("log", HTMLElement);
const say = byId("say", HTMLTextAreaElement);
const agentField = byId("agent", HTMLSelectElement);
const alert = byId("alert", HTMLElement);
const state = byId("state", HTMLElement);
const usualState = state.textContent;

/** @type {readonly Agent[]} */
let agents = [];

const chat = new Chat(log, {
  busy(isBusy) {
    byId("send", HTMLButtonElement).hidden = isBusy;
    byId("stop", HTMLButtonElement).hidden = !isBusy;
    log.setAttribute("aria-busy", String(isBusy));
  },
  ended(termination) {
    state.textContent = termination === "suspended" ? "A tool call waits for your decision." : usualState;
  },
  changed() {
    const { threadId } = chat;
    history.replaceState(null, "", threadId === undefined ? location.pathname : `#${encodeURIComponent(threadId)}`);
    suggest();
    refreshThreads().catch(complain);
  },
  failed: complain,
});

/** @param {unknown} error */
function complain(error) {
  alert.hidden = false;
  alert.textContent = error instanceof ServerError ? error.message : `Something went wrong: ${String(error)}`;
}

/** Does something, and says what goes wrong with it. @param {() => Promise<unknown>} task */
function attempt(task) {
  alert.hidden = true;
  task().catch(complain);
}

function beginThread() {
  const title = element("h1", {}, "What shall we do?");
  const text = element("p", {}, "Every run is stored: close this page, stop the server, come back.");
  chat.begin(element("div", { class: "welcome" }, title, text));
  history.replaceState(null, "", location.pathname);
  suggest();
  say.focus();
  attempt(refreshThreads);
}

/** @param {string} id */
async function openThread(id) {
  const agentId = await chat.open(id);
  if (agentId !== undefined) chooseAgent(agentId);
}

/** Opens the thread that the address names, or a new one. */
async function openAddress() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (wanted === "") beginThread();
  else await openThread(wanted);
}

/** Offers what the agent's tools can do, while nothing was said. */
function suggest() {
  const tools = agents.find(({ id }) => id === agentField.value)?.tools ?? [];
  const all = Object.entries(SUGGESTIONS).filter(([tool]) => tools.some(({ id }) => id === tool));
  const offered = chat.threadId === undefined ? all : [];
  byId("suggestions", HTMLElement).replaceChildren(
    ...offered.map(([, text]) =>
      element(
        "li",
        {},
        button(text, "suggestion", () => submit(text)),
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
  return showThreads(byId("threads", HTMLElement), chat.threadId, (id) => {
    closeMenu();
    attempt(() => openThread(id));
  });
}

function closeMenu() {
  byId("sidebar", HTMLElement).classList.remove("open");
  byId("menu", HTMLElement).setAttribute("aria-expanded", "false");
}

/** @param {string} text */
function submit(text) {
  if (text === "" || chat.isBusy) return;
  say.value = "";
  attempt(() => chat.say(agentField.value, text));
}

async function begin() {
  const [{ items }, health] = await Promise.all([askJson("/v1/agents"), askJson("/health")]);
  agents = items;
  agentField.replaceChildren(...agents.map(({ id, name }) => element("option", { value: id }, name)));
  chooseAgent("default");
  byId("durability", HTMLElement).textContent = SURVIVES[health.durability] ?? "";
  await openAddress();
}

byId("composer", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  submit(say.value.trim());
});
say.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  submit(say.value.trim());
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  closeMenu();
  if (chat.isBusy) attempt(() => chat.stop());
});
byId("stop", HTMLButtonElement).addEventListener("click", () => attempt(() => chat.stop()));
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
