import type { ContentPart, FilePart, Message, ToolCallRecord } from "@reprise/contracts";
import type { FileUrl } from "../chat/file-url.ts";
import { questionPart, toolPart } from "./history-tools.ts";
import { runInfoData } from "./run-info.ts";
import type { UiMessage, UiPart } from "./ui-message.ts";
import { uiMessageIdOf } from "./ui-message-id.ts";

export interface StoredThread {
  readonly thread_id: string;
  /** In the order of the thread, without those that were superseded. */
  readonly messages: readonly Message[];
  /** The calls of the thread; at least those that wait. */
  readonly calls: readonly ToolCallRecord[];
  /** The calls of runs below that wait for a person, each with the run of the thread that they work for. */
  readonly below?: readonly { readonly call: ToolCallRecord; readonly run_id: string }[];
}

/** The message of the assistant that is being put together. */
interface Growing {
  readonly id: string;
  readonly role: "assistant";
  readonly parts: UiPart[];
}

/**
 * A thread as a page shows it that was not there: the same as the stream of each run would have made of it. What only the stream has,
 * such as progress, calls that were given up and facts, is gone.
 */
export function encodeAiSdkHistory(thread: StoredThread, fileUrl: FileUrl = (url) => url): readonly UiMessage[] {
  const results = new Map(
    thread.messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  );
  const records = new Map(thread.calls.map((call) => [call.call_id, call]));
  const shown: UiMessage[] = [];
  const runs = new Map<string, Growing>();
  const open = (key: string, id: string, runId: string | undefined): Growing => {
    const known = runs.get(key);
    if (known !== undefined) return known;
    const parts =
      runId === undefined
        ? []
        : [{ type: "data-run-info", id: runId, data: runInfoData(runId, thread.thread_id) } as const];
    const message: Growing = { id, role: "assistant", parts };
    runs.set(key, message);
    shown.push(message);
    return message;
  };
  for (const message of thread.messages) {
    if (message.visibility === "internal") continue;
    if (message.role === "user")
      shown.push({ id: uiMessageIdOf(message), role: "user", parts: said(message, fileUrl) });
    if (message.role !== "assistant") continue;
    const runId = message.metadata?.run_id;
    const { parts } = open(runId ?? message.id, messageIdOf(message), runId);
    const calls = (message.tool_calls ?? []).map((request) =>
      toolPart({ request, message: results.get(request.id), record: records.get(request.id) }),
    );
    parts.push({ type: "step-start" }, ...answered(message), ...calls, ...files(message, fileUrl));
  }
  const asked = new Set(thread.messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id)));
  for (const call of thread.calls) {
    if (call.status !== "suspended" || asked.has(call.call_id)) continue;
    // A run may ask before it has said anything: its message then is the one its first step would have had.
    open(call.run_id, firstMessageId(call.run_id), call.run_id).parts.push(questionPart(call));
  }
  const asking = new Set<string>();
  for (const { call, run_id } of thread.below ?? []) {
    const { parts } = open(run_id, firstMessageId(run_id), run_id);
    // As in the stream, these questions are in a step of their own.
    if (!asking.has(run_id)) parts.push({ type: "step-start" });
    asking.add(run_id);
    parts.push(questionPart(call));
  }
  return shown;
}

/** The id that the stream of a run has: that of its first step, also when that step was a question and has no message. */
function firstMessageId(runId: string): string {
  return `${runId}-s1-m`;
}

function messageIdOf({ id, metadata }: Message): string {
  const runId = metadata?.run_id;
  return runId !== undefined && id.startsWith(`${runId}-s`) ? firstMessageId(runId) : id;
}

function partsOf({ content }: Message): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** What a user said, part by part. */
function said(message: Message, fileUrl: FileUrl): readonly UiPart[] {
  return partsOf(message).flatMap((part): readonly UiPart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    return part.type === "reasoning" ? [] : [filePart(part, fileUrl)];
  });
}

/** What the model said: its reasoning and its text. */
function answered(message: Message): readonly UiPart[] {
  return partsOf(message).flatMap((part): readonly UiPart[] => {
    if (part.type === "text" && part.text !== "") return [{ type: "text", text: part.text, state: "done" }];
    if (part.type !== "reasoning" || part.text === "") return [];
    return [{ type: "reasoning", id: `reasoning_${message.id}`, text: part.text, state: "done" }];
  });
}

function files(message: Message, fileUrl: FileUrl): readonly UiPart[] {
  return partsOf(message).flatMap((part) =>
    part.type === "image" || part.type === "file" ? [filePart(part, fileUrl)] : [],
  );
}

function filePart({ url, media_type, filename }: FilePart, fileUrl: FileUrl): UiPart {
  const mediaType = media_type ?? "application/octet-stream";
  return { type: "file", url: fileUrl(url), mediaType, ...(filename !== undefined && { filename }) };
}
