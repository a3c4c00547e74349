import { userMessage, wordFor } from "./conversation.js";
import { askJson } from "./server.js";

/**
 * A message as the server keeps it.
 *
 * @typedef {import("./conversation.js").RunView} RunView
 * @typedef {string | readonly { type: string, text?: string }[]} Content
 * @typedef {{ id: string, role: string, content: Content, tool_call_id?: string,
 *   tool_calls?: readonly { id: string, name: string, arguments: unknown }[], metadata?: { run_id?: string, status?: string } }} Message
 * @typedef {{ run_id: string, agent_id: string, status: string, termination_code?: string, termination_detail?: string }} Run
 */

/**
 * What is kept of a thread: its messages and runs, the messages that wait for their turn, and the arguments that calls ran with.
 *
 * @typedef {object} Past
 * @property {readonly Message[]} messages
 * @property {readonly Run[]} runs newest first
 * @property {readonly { run_id: string, agent_id: string, text: string }[]} queued
 * @property {ReadonlyMap<string, unknown>} inputs by call id
 */

/**
 * @param {string} threadId
 * @returns {Promise<Past>}
 */
export async function loadPast(threadId) {
  const id = encodeURIComponent(threadId);
  const [{ items: runs }, messages, queued] = await Promise.all([
    askJson(`v1/runs?thread_id=${id}&limit=200`),
    loadMessages(id),
    loadQueued(id),
  ]);
  const hasCalls = messages.some(({ tool_calls = [] }) => tool_calls.length > 0);
  return { messages, runs, queued, inputs: hasCalls ? await loadInputs(id) : new Map() };
}

/** @param {string} id */
async function loadMessages(id) {
  /** @type {Message[]} */
  const all = [];
  for (let after = ""; ; ) {
    const page = await askJson(`v1/threads/${id}/messages?limit=200${after}`);
    all.push(...page.messages);
    if (!page.has_more) return all;
    after = `&after=${page.next_cursor}`;
  }
}

/** @param {string} id */
async function loadQueued(id) {
  /** @type {{ items: readonly { kind: string, run_id: string, request?: { agent_id: string, messages: readonly Message[] } }[] }} */
  const { items } = await askJson(`v1/threads/${id}/mailbox?status=queued&limit=50`);
  return items.flatMap(({ kind, run_id, request }) =>
    kind === "run" && request !== undefined && request.messages.length > 0
      ? [{ run_id, agent_id: request.agent_id, text: request.messages.map(textOf).join("\n") }]
      : [],
  );
}

/**
 * The arguments that calls ran with. Messages have those of the model, which a person may have edited.
 *
 * @param {string} id
 */
async function loadInputs(id) {
  /** @type {{ messages: readonly { parts: readonly { toolCallId?: string, input?: unknown }[] }[] }} */
  const { messages } = await askJson(`v1/ai-sdk/threads/${id}/messages`);
  const parts = messages.flatMap((message) => message.parts);
  return new Map(parts.flatMap(({ toolCallId, input }) => (toolCallId === undefined ? [] : [[toolCallId, input]])));
}

/**
 * Shows what was said and done. Of a run that is not done only what was said to it: the rest comes with its events.
 *
 * @param {Past} past
 * @param {() => RunView} createView
 * @returns {{ nodes: readonly Node[], last: { id: string, agentId: string, view: RunView } | undefined }} what to show, and the last run
 *   when it is done
 */
export function showPast({ messages, runs, inputs }, createView) {
  const known = new Map(runs.map((run) => [run.run_id, run]));
  /** @type {Node[]} */
  const nodes = [];
  /** @type {{ id: string | undefined, view: RunView, isOpen: boolean } | undefined} */
  let present;
  /** @type {(id: string | undefined) => NonNullable<typeof present>} */
  const begin = (id) => {
    present?.view.settle();
    const status = known.get(id ?? "")?.status ?? "done";
    return { id, view: createView(), isOpen: status !== "done" };
  };
  const tellLast = () => {
    const run = known.get(present?.id ?? "");
    if (present !== undefined && run !== undefined) tellEnd(present.view, run);
  };
  for (const message of messages) {
    const runId = message.metadata?.run_id;
    if (message.role === "user" && present?.id === runId) {
      // Said to a run at work.
      present?.view.root.append(userMessage(textOf(message)));
      present?.view.endText();
      continue;
    }
    if (present === undefined || present.id !== runId) {
      // A run without a message of its own answers that of the run before it anew.
      if (message.role === "user") tellLast();
      present = begin(runId);
      if (message.role === "user") nodes.push(userMessage(textOf(message)));
      if (!present.isOpen) nodes.push(present.view.root);
    }
    if (message.role !== "user" && !present.isOpen) showMessage(present.view, message, inputs);
  }
  const [newest] = runs;
  if (newest === undefined || newest.status !== "done") return { nodes, last: undefined };
  if (present?.id !== newest.run_id) {
    present = begin(newest.run_id);
    nodes.push(present.view.root);
  }
  tellLast();
  return { nodes, last: { id: newest.run_id, agentId: newest.agent_id, view: present.view } };
}

/**
 * @param {RunView} view
 * @param {Message} message
 * @param {ReadonlyMap<string, unknown>} inputs
 */
function showMessage(view, message, inputs) {
  const text = textOf(message);
  if (message.role === "tool") {
    const [data, isGood] = [readData(text), message.metadata?.status !== "error"];
    view.calls.get(message.tool_call_id ?? "")?.finish(isGood, data, wordFor(isGood ? "succeeded" : "failed", data));
    return;
  }
  view.endText();
  if (text !== "") view.addText(text);
  for (const call of message.tool_calls ?? []) {
    const shown = view.call(call.id, call.name);
    shown.setArguments(call.arguments);
    if (inputs.has(call.id)) shown.editArguments(inputs.get(call.id));
  }
}

/**
 * @param {RunView} view
 * @param {Run} run
 */
function tellEnd(view, { status, termination_code = "", termination_detail }) {
  if (status !== "done") return;
  const [type = "", code] = termination_code.split(":");
  if (type === "stopped") view.end({ type, value: { code } });
  else if (type === "cancelled" || type === "error") view.end({ type, value: termination_detail });
}

/** @param {{ content: Content }} message */
function textOf({ content }) {
  return typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** @param {string} text */
function readData(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
