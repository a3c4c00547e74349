import type { AgentEvent } from "@reprise/contracts";
import { createA2aEncoder } from "@reprise/protocols/a2a";
import { createAcpEncoder } from "@reprise/protocols/acp";
import { createAgUiEncoder } from "@reprise/protocols/ag-ui";
import { createAiSdkEncoder } from "@reprise/protocols/ai-sdk";
import { createFactEncoder } from "@reprise/protocols/facts";
import { advanceMcpRun, createMcpEncoder, INITIAL_MCP_STATE, type McpCall } from "@reprise/protocols/mcp";
import { createWorkflowEncoder } from "@reprise/protocols/workflow";
import { type encodeScene, loadScenes, type ProtocolScene } from "@reprise/testkit";

/** What a run means to a person, however it is told. */
export interface Meaning {
  /** Everything that the agent said. */
  readonly text: string;
  /** The calls that wait for an answer at the end. */
  readonly asked: readonly string[];
  readonly end: "over" | "waiting" | "cancelled" | "failed" | "open";
}

type Item = { readonly [key: string]: never };

type Encoding = Parameters<typeof encodeScene>[0];

export interface MeaningfulProtocol extends Encoding {
  readonly name: string;
  /** `answer`: a client gets the last answer alone, and not what was said on the way to it. */
  readonly tells?: "answer";
  /** Whether it has words for a run at all; it has for all of them, unless given. */
  readonly has?: (scene: ProtocolScene) => boolean;
  read(items: readonly Item[]): Meaning;
}

const join = (items: readonly Item[], textOf: (item: Item) => string | undefined): string =>
  items.map((item) => textOf(item) ?? "").join("");

const MCP_CALL = { id: 7, target: { kind: "agent" }, elicits: true } as const;

/** The result of an MCP call, as far as it says what became of a run. */
interface McpResult {
  readonly content?: readonly { readonly text: string }[];
  readonly isError?: boolean;
  readonly inputRequests?: object;
}

function mcpProtocol(name: string, call: McpCall): MeaningfulProtocol {
  return {
    name,
    tells: "answer",
    open() {
      let state = INITIAL_MCP_STATE;
      let encoder = createMcpEncoder(call);
      // A call that was answered with questions is made again with their answers.
      const follow = <Told>(event: AgentEvent, tell: () => Told): Told => {
        if (encoder.isOver) encoder = createMcpEncoder(call, state);
        state = advanceMcpRun(state, event);
        return tell();
      };
      return {
        encode: (event, cursor) => follow(event, () => encoder.encode(event, cursor)),
        skip: (event) => follow(event, () => encoder.skip(event)),
        end: () => encoder.end(),
      };
    },
    read(items) {
      const result = items.map((item) => item.result as McpResult | undefined).findLast(Boolean);
      const callOf = (question: string): string => question.replace(/^.*\//, "").replace(/-q\d+$/, "");
      const elicited = items.flatMap(({ method, id }) =>
        method === ("elicitation/create" as never) ? [callOf(decodeURIComponent(String(id)))] : [],
      );
      if (result === undefined) return { text: "", asked: elicited, end: elicited.length > 0 ? "waiting" : "open" };
      if (result.inputRequests !== undefined)
        return { text: "", asked: Object.keys(result.inputRequests).map(callOf), end: "waiting" };
      const text = (result.content ?? []).map((part) => part.text).join("");
      if (result.isError !== true) return { text, asked: [], end: "over" };
      const [said = "", ...answer] = text.split("\n\n");
      return { text: answer.join("\n\n"), asked: [], end: said.includes("cancelled") ? "cancelled" : "failed" };
    },
  };
}

/** The outputs of a workflow as the run has them for its answer. */
function answerOf(outputs: object): string {
  const values = Object.values(outputs);
  const [only] = values;
  if (values.length !== 1) return "";
  return typeof only === "string" ? only : JSON.stringify(only);
}

const FACTS: MeaningfulProtocol = {
  name: "facts",
  open: () => createFactEncoder(),
  read(items) {
    type Fact = {
      readonly type: string;
      readonly toolCallId?: string;
      readonly payload: Readonly<Record<string, string>>;
    };
    const facts = items as readonly unknown[] as readonly Fact[];
    const asked = new Set<string>();
    let end: Meaning["end"] = "open";
    for (const { type, toolCallId = "", payload } of facts) {
      if (type === "action.required") asked.add(toolCallId);
      if (type === "action.resolved" || type === "tool.failed") asked.delete(toolCallId);
      if (type === "run.status") end = payload.status === "blocked" ? "waiting" : "open";
      if (type === "turn.completed") end = "over";
      if (type === "turn.failed") end = payload.status === "cancelled" ? "cancelled" : "failed";
    }
    const text = facts.map(({ type, payload }) => (type === "model.delta" ? payload.text : "")).join("");
    return { text, asked: [...asked], end };
  },
};

const WORKFLOW: MeaningfulProtocol = {
  name: "workflow events",
  tells: "answer",
  has: ({ name }) => name.startsWith("workflow"),
  open: () => createWorkflowEncoder(),
  read(items) {
    type Told = { readonly type: string; readonly gateId?: string; readonly outputs?: object };
    const asked = new Set<string>();
    let end: Meaning["end"] = "open";
    let text = "";
    const ends: Readonly<Record<string, Meaning["end"]>> = {
      "run:paused": "waiting",
      "human_gate:resumed": "open",
      "run:completed": "over",
      "run:failed": "failed",
      "run:cancelled": "cancelled",
    };
    for (const { type, gateId = "", outputs } of items as readonly unknown[] as readonly Told[]) {
      if (type === "human_gate:paused" || type === "budget:paused") asked.add(gateId);
      if (type === "human_gate:resumed") asked.delete(gateId);
      // The questions of a run that is over are over too.
      if (/^run:(completed|failed|cancelled)$/.test(type)) asked.clear();
      if (outputs !== undefined) text = answerOf(outputs);
      end = ends[type] ?? end;
    }
    return { text, asked: [...asked], end };
  },
};

export const PROTOCOLS: readonly MeaningfulProtocol[] = [
  {
    name: "AI SDK",
    open: () => createAiSdkEncoder(),
    read(items) {
      const types = items.map(({ type }) => String(type));
      const settled = new Set(
        items.filter(({ type }) => /^tool-output/.test(String(type))).map(({ toolCallId }) => toolCallId),
      );
      const asked = items
        .filter(({ type }) => type === "tool-approval-request")
        .map(({ toolCallId }) => String(toolCallId));
      const open = asked.filter((id) => !settled.has(id as never));
      const isFailed = types.includes("error");
      const end = types.includes("abort")
        ? "cancelled"
        : isFailed
          ? "failed"
          : types.at(-1) === "finish"
            ? "over"
            : "open";
      return {
        text: join(items, ({ type, delta }) => (type === "text-delta" ? delta : undefined)),
        asked: open,
        end: open.length > 0 && end === "over" ? "waiting" : end,
      };
    },
  },
  {
    name: "AG-UI",
    open: () => createAgUiEncoder({ version: "1.0" }),
    read(items) {
      const last = items.filter(({ type }) => type === "RUN_FINISHED" || type === "RUN_ERROR").at(-1);
      const outcome = last?.outcome as { readonly type?: string; readonly interrupts?: readonly Item[] } | undefined;
      const ends = { interrupt: "waiting", cancelled: "cancelled" } as const;
      const end =
        last === undefined
          ? "open"
          : last.type === "RUN_ERROR"
            ? "failed"
            : (ends[outcome?.type as "interrupt"] ?? "over");
      const asked = (outcome?.interrupts ?? []).map(({ toolCallId }) => String(toolCallId));
      return {
        text: join(items, ({ type, delta }) => (type === "TEXT_MESSAGE_CONTENT" ? delta : undefined)),
        asked,
        end,
      };
    },
  },
  {
    name: "A2A",
    open: () => createA2aEncoder(),
    read(items) {
      type Update = { readonly artifact: { readonly parts: readonly { readonly text?: string }[] } };
      type Status = {
        readonly status: { readonly state: string; readonly message?: { readonly parts: readonly Item[] } };
      };
      const status = (
        items.map(({ statusUpdate }) => statusUpdate as Status | undefined).filter(Boolean) as Status[]
      ).at(-1)?.status;
      const questions = (status?.message?.parts ?? []).flatMap(({ data }) => {
        const { question } = (data ?? {}) as { readonly question?: { readonly target_id: string } };
        return question === undefined ? [] : [question.target_id];
      });
      const ends: Readonly<Record<string, Meaning["end"]>> = {
        TASK_STATE_COMPLETED: "over",
        TASK_STATE_INPUT_REQUIRED: "waiting",
        TASK_STATE_CANCELED: "cancelled",
        TASK_STATE_FAILED: "failed",
      };
      const text = join(items, ({ artifactUpdate }) => (artifactUpdate as Update | undefined)?.artifact.parts[0]?.text);
      return { text, asked: questions, end: ends[status?.state ?? ""] ?? "open" };
    },
  },
  {
    name: "ACP",
    open: () => createAcpEncoder("s1"),
    read(items) {
      const said = join(items, ({ params }) => {
        const update = (params as { readonly update?: Item } | undefined)?.update;
        const content = update?.content as { readonly text?: string } | undefined;
        return update?.sessionUpdate === ("agent_message_chunk" as never) ? content?.text : undefined;
      });
      const asked = new Set<string>();
      for (const { method, params } of items) {
        const { toolCall, update } = (params ?? {}) as { readonly toolCall?: Item; readonly update?: Item };
        if (method === ("session/request_permission" as never)) asked.add(String(toolCall?.toolCallId));
        const isDone = ["completed", "failed"].includes(String(update?.status));
        if (isDone) asked.delete(String(update?.toolCallId));
      }
      const last = items.at(-1);
      const reason = (last?.result as { readonly stopReason?: string } | undefined)?.stopReason;
      const end =
        reason === "cancelled"
          ? "cancelled"
          : reason !== undefined
            ? "over"
            : last?.error !== undefined
              ? "failed"
              : "open";
      return { text: said, asked: [...asked], end: asked.size > 0 && end === "open" ? "waiting" : end };
    },
  },
  mcpProtocol("MCP 2025-11-25", { ...MCP_CALL, era: "session" }),
  mcpProtocol("MCP 2026-07-28", { ...MCP_CALL, era: "stateless" }),
  FACTS,
  WORKFLOW,
];

/** Frames of either form: server-sent events, and lines of JSON. */
export function parseFrames(frames: string): readonly Item[] {
  return frames
    .split("\n")
    .map((line) => (line.startsWith("data: ") ? line.slice("data: ".length) : line))
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

/** Runs that a protocol has other words for, and why. They are not compared between protocols; within one the cursor holds for them too. */
const DIFFERENT: Readonly<Record<string, string>> = {
  "max-rounds": "only some protocols call a limit a failure",
  superseded: "only some protocols call a run that gave way cancelled",
  "stream-reset": "only some clients keep text that was withdrawn",
};

export const ALL_SCENES: readonly ProtocolScene[] = loadScenes();

/** Whether a run means the same in every protocol. */
export function isCommon({ name }: ProtocolScene): boolean {
  return !Object.hasOwn(DIFFERENT, name);
}
