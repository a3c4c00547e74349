import { RunView, userMessage, wordFor } from "./conversation.js";
import { askJson } from "./server.js";

/**
 * A message as the server keeps it.
 *
 * @typedef {{ id: string, role: string, content: string | readonly { type: string, text?: string }[], tool_call_id?: string,
 *   tool_calls?: readonly { id: string, name: string, arguments: unknown }[], metadata?: { run_id?: string, status?: string } }} Message
 * @typedef {{ run_id: string, agent_id: string, status: string, termination_code?: string, termination_detail?: string }} Run
 */

/**
 * What is kept of a thread.
 *
 * @param {string} threadId
 * @returns {Promise<{ messages: readonly Message[], runs: readonly Run[] }>}
 */
export async function loadPast(threadId) {
  const id = encodeURIComponent(threadId);
  const [{ items: runs }, messages] = await Promise.all([
    askJson(`/v1/runs?thread_id=${id}&limit=200`),
    loadMessages(id),
  ]);
  return { messages, runs };
}

/** @param {string} id */
async function loadMessages(id) {
  /** @type {Message[]} */
  const all = [];
  for (let after = ""; ; ) {
    const page = await askJson(`/v1/threads/${id}/messages?limit=200${after}`);
    all.push(...page.messages);
    if (!page.has_more) return all;
    after = `&after=${page.next_cursor}`;
  }
}

/**
 * Shows what was said and done. Of a run that is not done only what was said to it: the rest comes with its events.
 *
 * @param {{ messages: readonly Message[], runs: readonly Run[] }} past
 * @returns {readonly Node[]}
 */
export function showPast({ messages, runs }) {
  const open = new Set(runs.filter(({ status }) => status !== "done").map(({ run_id }) => run_id));
  /** @type {Node[]} */
  const nodes = [];
  /** @type {{ id: string | undefined, view: RunView } | undefined} */
  let present;
  const endRun = () => {
    const run = runs.find(({ run_id }) => run_id === present?.id);
    if (present !== undefined && run !== undefined) tellEnd(present.view, run);
    present = undefined;
  };
  for (const message of messages) {
    const runId = message.metadata?.run_id;
    if (message.role === "user") {
      if (present?.id !== runId) endRun();
      nodes.push(userMessage(textOf(message)));
    } else if (runId === undefined || !open.has(runId)) {
      if (present === undefined || present.id !== runId) {
        endRun();
        present = { id: runId, view: new RunView(async () => undefined) };
        nodes.push(present.view.root);
      }
      showMessage(present.view, message);
    }
  }
  endRun();
  return nodes;
}

/**
 * @param {RunView} view
 * @param {Message} message
 */
function showMessage(view, message) {
  const text = textOf(message);
  if (message.role === "tool") {
    const [data, isGood] = [readData(text), message.metadata?.status !== "error"];
    view.calls.get(message.tool_call_id ?? "")?.finish(isGood, data, wordFor(isGood ? "succeeded" : "failed", data));
    return;
  }
  view.endText();
  if (text !== "") view.addText(text);
  for (const call of message.tool_calls ?? []) view.call(call.id, call.name).setArguments(call.arguments);
}

/**
 * @param {RunView} view
 * @param {Run} run
 */
function tellEnd(view, { termination_code = "", termination_detail }) {
  const [type = "", code] = termination_code.split(":");
  if (type === "stopped") view.end({ type, value: { code } });
  else if (type === "cancelled" || type === "error") view.end({ type, value: termination_detail });
}

/** @param {Message} message */
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
