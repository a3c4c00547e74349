import { createA2aEncoder } from "@reprise/protocols/a2a";
import { createAcpEncoder } from "@reprise/protocols/acp";
import { createAgUiEncoder } from "@reprise/protocols/ag-ui";
import { createAiSdkEncoder } from "@reprise/protocols/ai-sdk";
import { encodeScene, loadScenes, type ProtocolScene } from "@reprise/testkit";
import { describe, expect, it } from "vitest";

/** What a run means to a person, however it is told. */
interface Meaning {
  /** Everything that the agent said. */
  readonly text: string;
  /** The calls that wait for an answer at the end. */
  readonly asked: readonly string[];
  readonly end: "over" | "waiting" | "cancelled" | "failed" | "open";
}

type Item = { readonly [key: string]: never };

type Encoding = Parameters<typeof encodeScene>[0];

interface Protocol extends Encoding {
  readonly name: string;
  read(items: readonly Item[]): Meaning;
}

const join = (items: readonly Item[], textOf: (item: Item) => string | undefined): string =>
  items.map((item) => textOf(item) ?? "").join("");

const PROTOCOLS: readonly Protocol[] = [
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
];

/** Frames of either form: server-sent events, and lines of JSON. */
function parse(frames: string): readonly Item[] {
  return frames
    .split("\n")
    .map((line) => (line.startsWith("data: ") ? line.slice("data: ".length) : line))
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

/**
 * Runs whose telling differs by what a protocol has words for: a withdrawn text that some clients keep, a limit that only some call a failure,
 * a call for the client's own program, a question that only the runtime has.
 */
const DIFFERENT =
  /reset|superseded|max-rounds|truncation|frontend-tool|budget-question|unfinished|cut-off|interrupted|expired|taken-over/;

const scenes = loadScenes().filter(({ name }) => !DIFFERENT.test(name));

describe.each(scenes)("$name", (scene: ProtocolScene) => {
  const meanings = PROTOCOLS.map((protocol) => protocol.read(parse(encodeScene(protocol, scene).join(""))));

  it("means the same in every protocol", () => {
    for (const [index, { name }] of PROTOCOLS.entries()) expect([name, meanings[index]]).toEqual([name, meanings[0]]);
  });

  it.each(PROTOCOLS)("means the same to a client of $name that was away after any event", (protocol) => {
    const whole = encodeScene(protocol, scene);
    for (const at of scene.events.keys()) {
      const frames = whole.slice(0, at).join("") + encodeScene(protocol, scene, at).join("");
      expect(protocol.read(parse(frames)), `after event ${at}`).toEqual(meanings[PROTOCOLS.indexOf(protocol)]);
    }
  });
});

it("tells enough runs", () => expect(scenes.length).toBeGreaterThan(15));
