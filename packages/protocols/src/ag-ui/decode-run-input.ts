import {
  type DecisionInput,
  type FrontendContext,
  type FrontendTool,
  invalidRequest,
  RUN_OVERRIDES,
  type RunOverrides,
  type RunRequest,
  translateDecision,
} from "@reprise/contracts";
import { toStoredNames } from "@reprise/contracts/shape";
import { assertJson, getAt, type Json, parseJson } from "@reprise/state";
import { type AgUiVersion, agUiVersionOf } from "./ag-ui-event.ts";
import { readAnswers, readSaid } from "./read-messages.ts";

/** A request of an AG-UI client. */
export interface AgUiRequest {
  readonly thread_id: string;
  /** The client's own id of the run. Our run has another: a client may use one id for several threads, and several ids for one of our runs. */
  readonly client_run_id: string;
  readonly parent_client_run_id?: string;
  readonly version: AgUiVersion;
  /** What is to be run, without the decisions and the state. */
  readonly request: RunRequest;
  /** Answers to open questions, and results of calls that the client executed. */
  readonly decisions: readonly DecisionInput[];
  /** Whether the client sent `resume`: it then waits for a stream. */
  readonly isResume: boolean;
  /** Calls whose results are among the client's messages. */
  readonly answered: ReadonlySet<string>;
  /** The application's state as the client has it; absent when it has none. */
  readonly state?: { readonly [key: string]: Json };
}

/** Reads the body of a request, in the form of version 1 or before. Throws `INVALID_REQUEST` with what is wrong. */
export function decodeAgUiRequest(text: string, agentId: string): AgUiRequest {
  const body = parseBody(text);
  const thread_id = readId(body, "threadId");
  const client_run_id = readId(body, "runId");
  const parent = readText(body, "parentRunId");
  const messages = readList(body, "messages");
  const answers = readAnswers(messages);
  const resume = readList(body, "resume").map(readResume);
  const parentThread = readText(body, "parentThreadId") ?? readText(forwarded(body), "parentThreadId");
  const tools = readList(body, "tools").flatMap(readTool);
  const context = readList(body, "context").map(readContext);
  const state = readState(body);
  return {
    thread_id,
    client_run_id,
    ...(parent !== undefined && { parent_client_run_id: parent }),
    version: agUiVersionOf(readText(body, "protocolVersion")),
    decisions: [...answers, ...resume],
    isResume: resume.length > 0,
    answered: new Set(answers.map(({ target_id }) => target_id)),
    ...(state !== undefined && { state }),
    request: {
      agent_id: agentId,
      thread_id,
      origin: "ag_ui",
      messages: readSaid(messages),
      ...(parentThread !== undefined && { parent_thread_id: parentThread }),
      ...(tools.length > 0 && { frontend_tools: tools }),
      ...(context.length > 0 && { context }),
      ...readOverrides(body),
    },
  };
}

/**
 * What the client chose for this run. Stock clients of version 1 strip fields they do not know, so `forwardedProps` counts too. The runtime
 * checks the values, and whether the agent allows them.
 */
function readOverrides(body: Json): { readonly overrides?: RunOverrides } {
  const props = forwarded(body);
  const read = (key: string): Json | undefined => getAt(body, [key]) ?? getAt(props, [key]) ?? undefined;
  const chosen = { model: read("model"), system_prompt: read("systemPrompt"), config: read("config") };
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  if (given.length === 0) return {};
  // The runtime checks it like every request.
  return { overrides: toStoredNames(Object.fromEntries(given), RUN_OVERRIDES.schema) as RunOverrides };
}

function forwarded(body: Json): Json {
  return getAt(body, ["forwardedProps"]) ?? null;
}

/** An entry of `resume`. What is resolved without a payload is approved. */
function readResume(entry: Json): DecisionInput {
  const target = getAt(entry, ["interruptId"]);
  const status = getAt(entry, ["status"]);
  if (typeof target !== "string" || target === "")
    throw invalidRequest("resume: interruptId must be a non-empty string");
  if (status === "cancelled") return { target_id: target, action: "cancel" };
  if (status !== "resolved") throw invalidRequest("resume: status must be resolved or cancelled");
  const payload = getAt(entry, ["payload"]) ?? { approved: true };
  const decision = translateDecision(target, payload);
  const edited = getAt(payload, ["editedArgs"]) ?? getAt(payload, ["arguments"]);
  return decision.action === "resume" && edited !== undefined && edited !== null
    ? { ...decision, arguments: edited }
    : decision;
}

/** A tool that the client executes: every one, unless it says of it that the server does. The agent's own tools count first. */
function readTool(tool: Json): readonly FrontendTool[] {
  const name = getAt(tool, ["name"]);
  if (typeof name !== "string" || name === "") throw invalidRequest("tools: name must be a non-empty string");
  const execute = getAt(tool, ["execute"]) ?? getAt(tool, ["metadata", "execute"]) ?? "frontend";
  if (execute !== "frontend") return [];
  const description = getAt(tool, ["description"]);
  const parameters = getAt(tool, ["parameters"]) ?? undefined;
  if (parameters !== undefined && !isObject(parameters)) {
    throw invalidRequest(`tools: the parameters of ${name} must be a JSON Schema object`);
  }
  return [
    {
      id: name,
      description: typeof description === "string" ? description : "",
      ...(parameters !== undefined && { parameters }),
    },
  ];
}

function readContext(entry: Json): FrontendContext {
  const description = getAt(entry, ["description"]);
  const value = getAt(entry, ["value"]) ?? "";
  if (typeof description !== "string") throw invalidRequest("context: description must be a string");
  return { description, value: typeof value === "string" ? value : JSON.stringify(value) };
}

/** A client without state sends an empty object, or nothing: that does not mean that the thread has none. */
function readState(body: Json): { readonly [key: string]: Json } | undefined {
  const state = getAt(body, ["state"]) ?? undefined;
  if (state === undefined) return undefined;
  if (!isObject(state)) throw invalidRequest("state must be an object");
  return Object.keys(state).length === 0 ? undefined : state;
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseBody(text: string): Json {
  try {
    const body = parseJson(text);
    assertJson(body);
    if (isObject(body)) return body;
  } catch (cause) {
    throw invalidRequest("the body is not valid JSON", { problem: cause instanceof Error ? cause.name : "unknown" });
  }
  throw invalidRequest("the body is not an object");
}

function readId(body: Json, key: string): string {
  const id = readText(body, key) ?? "";
  if (id.trim() === "") throw invalidRequest(`${key} cannot be empty`);
  return id;
}

function readList(body: Json, key: string): readonly Json[] {
  const list = getAt(body, [key]) ?? [];
  if (!Array.isArray(list)) throw invalidRequest(`${key} must be an array`);
  return list;
}

/** A text of the body. Null is as good as absent; anything else is a mistake. */
function readText(body: Json, key: string): string | undefined {
  const value = getAt(body, [key]) ?? undefined;
  if (value === undefined || typeof value === "string") return value?.toWellFormed();
  throw invalidRequest(`${key} must be a string`);
}
