import { Chat } from "./chat.js";
import { button, byId, element } from "./elements.js";
import { askJson, onConnection, ServerError } from "./server.js";
import { showThreads } from "./threads.js";

/** @typedef {{ id: string, name: string, description: string, tools: readonly { id: string }[] }} Agent */

/** Messages to try, by the tool they need: only those that the agent can act on are offered. */
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
  "power-loss": "Threads survive a power cut.",
  "process-crash": "Threads survive a crash of the server, but not a power cut.",
  none: "Threads are kept in memory and are lost when the server stops.",
};

const log = byId("log", HTMLElement);
const say = byId("say", HTMLTextAreaElement);
const agentField = byId("agent", HTMLSelectElement);
const confirmation = byId("confirm", HTMLElement);
const menu = byId("menu", HTMLButtonElement);
const sidebar = byId("sidebar", HTMLElement);

/** @type {readonly Agent[]} */
let agents = [];

const chat = new Chat(log, {
  changed: showState,
  stored() {
    const { threadId } = chat;
    history.replaceState(null, "", threadId === undefined ? location.pathname : `#${encodeURIComponent(threadId)}`);
    suggest();
    refreshThreads().catch(complain);
  },
  failed: complain,
});

/** Says what the run does and what the keys do now. */
function showState() {
  const { isBusy, openQuestions } = chat;
  byId("stop", HTMLButtonElement).hidden = !isBusy;
  byId("send", HTMLButtonElement).textContent = isBusy ? "Queue" : "Send";
  log.setAttribute("aria-busy", String(isBusy));
  const asked = askedBy(openQuestions);
  document.title = openQuestions.length > 0 ? "Needs approval · Reprise" : "Reprise";
  byId("state", HTMLElement).textContent = isBusy
    ? "Enter queues a message. Escape stops the run."
    : openQuestions.length > 0
      ? `${asked}.`
      : "Enter sends. Shift + Enter starts a new line.";
  if (openQuestions.length === 0) closeConfirmation();
}

/** @param {readonly string[]} tools */
function askedBy(tools) {
  return tools.length === 1 ? `${tools[0]} needs approval` : `${tools.length} tool calls need approval`;
}

/** @param {unknown} error */
function complain(error) {
  byId("alert", HTMLElement).hidden = false;
  const text = error instanceof ServerError ? error.message : `Something went wrong: ${String(error)}`;
  byId("alert-text", HTMLElement).textContent = text;
}

function closeAlert() {
  byId("alert", HTMLElement).hidden = true;
}

/** Does something, and says what goes wrong with it. @param {() => Promise<unknown>} task */
function attempt(task) {
  closeAlert();
  task().catch(complain);
}

function beginThread() {
  const title = element("h1", {}, "Start a conversation");
  const text = "Every run is stored. Close this page or kill the server: the run continues where it was.";
  chat.begin(element("div", { class: "welcome" }, title, element("p", {}, text)));
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

/** Offers messages for the agent's tools until the first message was sent. */
function suggest() {
  const tools = agents.find(({ id }) => id === agentField.value)?.tools ?? [];
  const all = Object.entries(SUGGESTIONS).filter(([tool]) => tools.some(({ id }) => id === tool));
  const offered = chat.threadId === undefined && !chat.isBusy ? all : [];
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

/** @param {boolean} isOpen */
function showMenu(isOpen) {
  sidebar.classList.toggle("open", isOpen);
  byId("scrim", HTMLElement).hidden = !isOpen;
  menu.setAttribute("aria-expanded", String(isOpen));
  if (isOpen) byId("new-thread", HTMLButtonElement).focus();
}

function closeMenu() {
  if (!sidebar.classList.contains("open")) return false;
  showMenu(false);
  menu.focus();
  return true;
}

/** Sends a message. While a call needs approval, the user says first what becomes of it. @param {string} text */
function submit(text) {
  if (text === "") return;
  const { openQuestions } = chat;
  if (openQuestions.length === 0) {
    send(text, "continue");
    return;
  }
  say.value = text;
  const fate =
    openQuestions.length === 1 ? "withdraws the call, and it does not run" : "withdraws the calls, and they do not run";
  byId("confirm-text", HTMLElement).textContent = `${askedBy(openQuestions)}. Sending this message now ${fate}.`;
  confirmation.hidden = false;
  byId("send-after", HTMLButtonElement).focus();
}

function closeConfirmation() {
  if (confirmation.hidden) return false;
  const hadFocus = confirmation.contains(document.activeElement);
  confirmation.hidden = true;
  if (hadFocus) say.focus();
  return true;
}

/**
 * @param {string} text
 * @param {"continue" | "enqueue"} policy
 */
function send(text, policy) {
  say.value = "";
  closeConfirmation();
  attempt(async () => {
    try {
      await chat.say(agentField.value, text, policy);
    } catch (error) {
      // What was refused can be changed and sent again.
      if (say.value === "") say.value = text;
      throw error;
    }
  });
  suggest();
}

async function begin() {
  const [{ items }, health] = await Promise.all([askJson("v1/agents"), askJson("health")]);
  agents = items;
  agentField.replaceChildren(...agents.map(({ id, name }) => element("option", { value: id }, name)));
  chooseAgent("default");
  byId("durability", HTMLElement).textContent = SURVIVES[health.durability] ?? "";
  await openAddress();
}

onConnection((isConnected) => {
  byId("connection", HTMLElement).textContent = isConnected ? "" : "Reconnecting…";
  if (isConnected && agents.length > 0) refreshThreads().catch(complain);
});
byId("composer", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  submit(say.value.trim());
});
say.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  submit(say.value.trim());
});
byId("send-after", HTMLButtonElement).addEventListener("click", () => send(say.value.trim(), "enqueue"));
byId("send-instead", HTMLButtonElement).addEventListener("click", () => send(say.value.trim(), "continue"));
byId("send-not", HTMLButtonElement).addEventListener("click", closeConfirmation);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || closeMenu() || closeConfirmation()) return;
  if (chat.isBusy) attempt(() => chat.stop());
});
byId("stop", HTMLButtonElement).addEventListener("click", () => {
  say.focus();
  attempt(() => chat.stop());
});
byId("dismiss", HTMLButtonElement).addEventListener("click", () => {
  closeAlert();
  say.focus();
});
byId("skip", HTMLAnchorElement).addEventListener("click", (event) => {
  // The address names the thread, not a place on the page.
  event.preventDefault();
  say.focus();
});
byId("new-thread", HTMLButtonElement).addEventListener("click", () => {
  closeMenu();
  beginThread();
});
menu.addEventListener("click", () => showMenu(!sidebar.classList.contains("open")));
byId("scrim", HTMLElement).addEventListener("click", closeMenu);
agentField.addEventListener("change", () => {
  chooseAgent(agentField.value);
  suggest();
});
document.addEventListener("visibilitychange", () => (document.hidden ? chat.pause() : chat.resume()));
window.addEventListener("hashchange", () => attempt(openAddress));

showState();
attempt(begin);
