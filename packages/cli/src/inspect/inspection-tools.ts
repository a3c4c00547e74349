import { type DecisionVerb, textOf } from "@reprise/contracts";
import type { Runtime } from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";
import { shortText } from "../output/plain-text.ts";
import { Given, type InspectionTool } from "./inspection-tool.ts";
import { tellRun } from "./tell-run.ts";

const LIMIT = { type: "integer", minimum: 1, maximum: 100, description: "How many at most; 20 unless given." };
const RUN = { type: "string", description: "The id of the run." };
const THREAD = { type: "string", description: "The id of the thread." };
const MOST = { most: 100 } as const;

/** How many threads a search goes through, newest first, and how many messages of each, from the end. */
const SEARCHED_THREADS = 200;
const SEARCHED_MESSAGES = 200;
const ROOM = 200;

/** Everything an assistant can ask about the runs of a store. */
export const INSPECTION_TOOLS: readonly InspectionTool[] = [
  {
    name: "list_threads",
    description: "Lists conversations, newest first.",
    properties: { limit: LIMIT, offset: { type: "integer", minimum: 0 } },
    required: [],
    async answer({ threads }, values) {
      const given = new Given(values);
      const [limit = 20, offset = 0] = [
        given.optionalCount("limit", MOST),
        given.optionalCount("offset", { least: 0 }),
      ];
      const page = await threads.list({ limit, offset });
      return toJson({ items: page.items, total: page.total, has_more: page.has_more });
    },
  },
  {
    name: "search_threads",
    description: `Finds conversations by words in their messages, in any case; looks at the newest ${SEARCHED_THREADS}.`,
    properties: { text: { type: "string", description: "The words, as they stand in a message." }, limit: LIMIT },
    required: ["text"],
    async answer(runtime, values) {
      const given = new Given(values);
      const text = given.text("text");
      return searchThreads(runtime, text, given.optionalCount("limit", MOST) ?? 20);
    },
  },
  {
    name: "show_thread",
    description: "Shows the last messages of a conversation.",
    properties: { thread_id: THREAD, limit: LIMIT },
    required: ["thread_id"],
    async answer({ threads }, values) {
      const given = new Given(values);
      const threadId = given.text("thread_id");
      const limit = given.optionalCount("limit", MOST) ?? 20;
      const [thread, page] = await Promise.all([
        threads.get(threadId),
        threads.messages(threadId, { limit, order: "desc" }),
      ]);
      return toJson({ thread, messages: page.messages.toReversed(), has_more: page.has_more });
    },
  },
  {
    name: "thread_state",
    description: "Shows the state of a conversation, now or as it was at a version.",
    properties: {
      thread_id: THREAD,
      version: { type: "integer", minimum: 0, description: "The latest unless given." },
    },
    required: ["thread_id"],
    async answer({ threads }, values) {
      const given = new Given(values);
      const version = given.optionalCount("version", { least: 0 });
      const state = await threads.state(given.text("thread_id"), version === undefined ? {} : { version });
      return { ...(version !== undefined && { version }), state };
    },
  },
  {
    name: "thread_history",
    description: "Shows which patches each version of a conversation made to its state.",
    properties: { thread_id: THREAD, after: { type: "integer", minimum: 0 }, limit: LIMIT },
    required: ["thread_id"],
    async answer({ threads }, values) {
      const given = new Given(values);
      const [after = 0, limit = 20] = [given.optionalCount("after", { least: 0 }), given.optionalCount("limit", MOST)];
      const stored = await threads.changesets(given.text("thread_id"), { after, limit });
      const items = stored.map(({ version, run_id, reasons, patches }) => ({ version, run_id, reasons, patches }));
      return toJson({ items, has_more: stored.length === limit });
    },
  },
  {
    name: "list_runs",
    description: "Lists runs, newest first: of a thread, of an agent, with a status, or that ended in a certain way.",
    properties: {
      thread_id: THREAD,
      agent_id: { type: "string" },
      status: { type: "string", enum: ["running", "waiting", "done"] },
      termination_code: { type: "string", description: "How it ended, as in natural, error or cancelled." },
      limit: LIMIT,
    },
    required: [],
    async answer(runtime, values) {
      const given = new Given(values);
      const filters = {
        threadId: given.optionalText("thread_id"),
        agentId: given.optionalText("agent_id"),
        status: given.optionalWord("status", ["running", "waiting", "done"]),
        terminationCode: given.optionalText("termination_code"),
      };
      const asked = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
      const page = await runtime.runs({ limit: given.optionalCount("limit", MOST) ?? 20, ...asked });
      return toJson({ items: page.items, total: page.total, has_more: page.has_more });
    },
  },
  {
    name: "show_run",
    description: "Tells what a run did, as a story in sentences. Begin here when you are asked why something happened.",
    properties: { run_id: RUN },
    required: ["run_id"],
    async answer(runtime, values) {
      const run = await runtime.run(new Given(values).text("run_id"));
      return tellRun(await run.record(), run.events({ follow: false }));
    },
  },
  {
    name: "run_events",
    description: "Shows the events of a run as they are stored, from a cursor on.",
    properties: {
      run_id: RUN,
      after: { type: "string", description: "The cursor of the last event you saw." },
      limit: LIMIT,
    },
    required: ["run_id"],
    async answer(runtime, values) {
      const given = new Given(values);
      const [run, limit] = [await runtime.run(given.text("run_id")), given.optionalCount("limit", MOST) ?? 20];
      const after = given.optionalText("after");
      const items: { readonly cursor: string; readonly event: unknown }[] = [];
      for await (const item of run.eventsWithCursor({ follow: false, ...(after !== undefined && { after }) })) {
        if (items.push(item) === limit) break;
      }
      return toJson({ items });
    },
  },
  {
    name: "verify_run",
    description:
      "Replays a finished run from its recording, without models and tools, and compares every commit with it.",
    properties: { run_id: RUN },
    required: ["run_id"],
    answer: async (runtime, values) => toJson(await runtime.replay(new Given(values).text("run_id"))),
  },
  {
    name: "list_decisions",
    description: "Lists the tool calls that wait for a person's decision, with their arguments.",
    properties: { thread_id: THREAD },
    required: [],
    async answer({ decisions }, values) {
      const threadId = new Given(values).optionalText("thread_id");
      return toJson({ items: await decisions.list(threadId === undefined ? {} : { threadId }) });
    },
  },
  {
    name: "decide",
    description:
      "Decides about a tool call that waits. Ask the person first: the decision counts at once and cannot be taken back.",
    properties: {
      call_id: { type: "string", description: "The id of the call, as list_decisions has it." },
      action: { type: "string", enum: ["approve", "deny", "supply"] },
      result: { description: "With supply: what the tool's answer is to be." },
      reason: { type: "string", description: "Told to the agent." },
    },
    required: ["call_id", "action"],
    decides: true,
    async answer({ decisions }, values) {
      const given = new Given(values);
      return toJson(await decisions.decide(given.text("call_id"), verbOf(given)));
    },
  },
];

function verbOf(given: Given): DecisionVerb {
  const action = given.optionalWord("action", ["approve", "deny", "supply"]) ?? given.text("action");
  const reason = given.optionalText("reason");
  const why = reason === undefined ? {} : { reason };
  if (action === "supply") return { action, result: given.json("result"), ...why };
  return { action: action === "approve" ? "approve" : "deny", ...why };
}

async function searchThreads(runtime: Runtime, text: string, limit: number): Promise<JsonObject> {
  const wanted = text.toLowerCase();
  const found: JsonObject[] = [];
  const page = await runtime.threads.list({ limit: SEARCHED_THREADS });
  for (const { thread_id, updated_at } of page.items) {
    const { messages } = await runtime.threads.messages(thread_id, { limit: SEARCHED_MESSAGES, order: "desc" });
    const hits = messages.filter((message) => textOf(message).toLowerCase().includes(wanted));
    const [newest] = hits;
    if (newest === undefined) continue;
    const shown = { role: newest.role, text: shortText(textOf(newest), ROOM) };
    found.push({ thread_id, updated_at, matches: hits.length, newest: shown });
    if (found.length === limit) break;
  }
  return { items: found, searched_threads: page.items.length, has_older_threads: page.has_more };
}

/** What the runtime answers is plain data. */
function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as { readonly [key: string]: Json };
}
