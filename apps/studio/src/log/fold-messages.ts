import type { Message, Run, Version } from "../api/types.ts";
import { type Block, fieldsOf, pageOf, type RunView, type ShownCall, type ShownFile } from "./block.ts";
import { describeEnd, statusOf } from "./fold-run.ts";

/** What is kept of a thread. */
export interface StoredThread {
  readonly messages: readonly Message[];
  /** In the order in which they began. */
  readonly runs: readonly Run[];
  readonly versions: readonly Version[];
}

/**
 * A conversation as it is stored, run by run. It has what people see; what happened in between is in the events of each run. A message
 * without a run stands under the run before it.
 */
export function foldMessages({ messages, runs, versions }: StoredThread): readonly RunView[] {
  const known = new Map(runs.map((run) => [run.run_id, run]));
  const calls = collectCalls(versions);
  const times = locateMessages(versions);
  const views: { runId: string; agentId: string; blocks: Block[] }[] = [];
  for (const message of messages) {
    const runId = message.metadata === undefined ? undefined : stringOf(fieldsOf(message.metadata).run_id);
    const last = views.at(-1);
    const view =
      last !== undefined && (runId === undefined || last.runId === runId)
        ? last
        : { runId: runId ?? "", agentId: known.get(runId ?? "")?.agent_id ?? "", blocks: [] };
    if (view !== last) views.push(view);
    addMessage(view.blocks, message, calls, times.get(message.id) ?? {});
  }
  const places = new Map(runs.map(({ run_id }, place) => [run_id, place]));
  for (const run of runs) {
    if (run.status !== "queued" && !views.some(({ runId }) => runId === run.run_id))
      views.push({ runId: run.run_id, agentId: run.agent_id ?? "", blocks: [] });
  }
  // A run that says nothing has no message that would put it into its place.
  views.sort((one, other) => (places.get(one.runId) ?? -1) - (places.get(other.runId) ?? -1));
  return views.map(({ runId, agentId, blocks }, index) => {
    const run = known.get(runId);
    const next = views[index + 1];
    // A run without a message of its own answers that of the run before it anew.
    const isAnsweredAnew = next !== undefined && !next.blocks.some(({ kind }) => kind === "user");
    const end = run === undefined || isAnsweredAnew ? undefined : endOf(run);
    const version = blocks.at(-1)?.version;
    const closing: readonly Block[] =
      end === undefined ? [] : [{ key: `${runId}-end`, ...(version !== undefined && { version }), ...end }];
    return { runId, agentId, status: run === undefined ? "done" : statusOfRun(run), blocks: [...blocks, ...closing] };
  });
}

/** How a run stands, by its record. */
export function statusOfRun({ status, termination_code = "", model_wait, awaits_runs }: Run): RunView["status"] {
  if (status === "queued") return "queued";
  if (status === "running") return "working";
  if (status === "waiting")
    return model_wait !== undefined ? "waiting for model" : awaits_runs ? "waiting" : "needs approval";
  return termination_code === "error" ? "failed" : termination_code === "cancelled" ? "cancelled" : "done";
}

interface Place {
  readonly version?: number;
  readonly until?: number;
}

/** The versions that each message came and went with. */
function locateMessages(versions: readonly Version[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { version, message_ids, supersedes } of versions) {
    for (const id of message_ids) places.set(id, { version });
    for (const id of supersedes) places.set(id, { ...places.get(id), until: version });
  }
  return places;
}

interface StoredCall {
  readonly arguments: unknown;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** What calls ran with, and when. Messages have the arguments of the model, which a person may have changed. */
function collectCalls(versions: readonly Version[]): ReadonlyMap<string, StoredCall> {
  const calls = new Map<string, StoredCall>();
  for (const version of versions) {
    for (const { call_id, status, arguments: input, updated_at } of version.calls) {
      const before = calls.get(call_id);
      const isOver = status === "succeeded" || status === "failed" || status === "cancelled";
      calls.set(call_id, {
        ...before,
        arguments: input,
        ...(status === "running" && { startedAt: updated_at }),
        ...(isOver && { endedAt: updated_at }),
      });
    }
  }
  return calls;
}

function addMessage(blocks: Block[], message: Message, calls: ReadonlyMap<string, StoredCall>, place: Place): void {
  const { id, role } = message;
  if (role === "tool") return finishCall(blocks, message);
  if (role === "system") return;
  const parts =
    typeof message.content === "string" ? [{ type: "text" as const, text: message.content }] : message.content;
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const files = parts.flatMap((part): ShownFile[] =>
    part.type === "image" || part.type === "file"
      ? [{ url: part.url, mediaType: part.media_type ?? "", name: part.filename ?? part.type }]
      : [],
  );
  if (role === "user") {
    blocks.push({ key: id, ...place, kind: "user", text, files, messageId: id });
    return;
  }
  const reasoning = parts.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  if (reasoning !== "") blocks.push({ key: `${id}-r`, ...place, kind: "reasoning", text: reasoning });
  if (text !== "") blocks.push({ key: `${id}-t`, ...place, kind: "text", text });
  for (const file of files) blocks.push({ key: `${id}-${file.url}`, ...place, kind: "file", file });
  for (const call of message.tool_calls ?? []) {
    const stored = calls.get(call.id);
    const isEdited = stored !== undefined && JSON.stringify(stored.arguments) !== JSON.stringify(call.arguments);
    const shown: ShownCall = {
      id: call.id,
      tool: call.name,
      status: "running",
      draft: "",
      arguments: isEdited ? stored.arguments : call.arguments,
      ...(isEdited && { original: call.arguments }),
      ...(stored?.startedAt !== undefined && { startedAt: stored.startedAt }),
      ...(stored?.endedAt !== undefined && { endedAt: stored.endedAt }),
    };
    blocks.push({ key: call.id, ...place, kind: "call", call: shown });
  }
}

function finishCall(blocks: Block[], message: Message): void {
  const at = blocks.findLastIndex((block) => block.kind === "call" && block.call.id === message.tool_call_id);
  const block = blocks[at];
  if (block?.kind !== "call") return;
  const result = readData(typeof message.content === "string" ? message.content : "");
  const { status, result_metadata } = fieldsOf(message.metadata);
  const shown = {
    result,
    status: statusOf(status === "error" ? "failed" : "succeeded", result),
    ...pageOf(result_metadata),
  };
  blocks[at] = { ...block, call: { ...block.call, ...shown } };
}

function readData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function endOf({ status, termination_code = "", termination_detail }: Run): ReturnType<typeof describeEnd> {
  if (status !== "done") return undefined;
  const [type = "", code = ""] = termination_code.split(":");
  if (type === "stopped") return describeEnd({ type, value: { code } });
  if (type === "cancelled") return describeEnd({ type });
  return type === "error" ? describeEnd({ type, value: termination_detail ?? "The run failed." }) : undefined;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
