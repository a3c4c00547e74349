import type { AgentEvent } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import type { AgUiVersion } from "@reprise/protocols/ag-ui";
import { defineAgent, type RunHandle } from "@reprise/runtime";
import type { Principal } from "@reprise/server";
import { describe, expect, it } from "vitest";
import { readByClient } from "../../protocols/test/support/ag-ui-clients.ts";
import { AG_UI_RUNS, agUiSays, readAgUi } from "./support/ag-ui-client.ts";
import { type OpenDemo, openDemo } from "./support/open-demo.ts";

/** A call that breaks off in its arguments, and an answer that is written anew. */
const model = () =>
  scriptedModel([
    "Hello.",
    [{ text: "" }, { unfinishedCall: "none", raw: '{"a":' }, { cut: true }],
    [{ text: "All is well." }],
  ]);

async function open(more: Parameters<typeof openDemo>[0] = {}): Promise<OpenDemo> {
  return openDemo({ agents: [defineAgent({ id: "assistant", model: model() })], ...more });
}

const framesOf = async (demo: OpenDemo, body: object): Promise<string> => {
  const text = await (await demo.post(AG_UI_RUNS, body)).text();
  // The first frame only says how long to wait before coming back.
  return text.slice(text.indexOf("\n\n") + 2);
};

describe.each<AgUiVersion>(["1.0", "0"])("a client of version %s", (version) => {
  const of = version === "1.0" ? {} : { protocolVersion: undefined };

  it("is left with the messages of the thread after an answer that began anew", async () => {
    const demo = await open();
    const said = (id: string, content: string) => ({ id, role: "user", content }) as const;
    const first = await framesOf(demo, agUiSays("r1", "hi", of));
    const before = await readByClient(version, first, { messages: [said("r1-u", "hi")] });
    const second = await framesOf(demo, agUiSays("r2", "how are you?", of));
    const messagesBefore = [...before.messages, said("r2-u", "how are you?")];
    const { messages } = await readByClient(version, second, { messages: messagesBefore });
    expect(readAgUi(second).map(({ type }) => type)).toContain("MESSAGES_SNAPSHOT");
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "hi"],
      ["assistant", "Hello."],
      ["user", "how are you?"],
      ["assistant", "All is well."],
    ]);
  });

  it("loses text of a process that was lost at once, and is told to connect again", async () => {
    const demo = await open();
    await framesOf(demo, agUiSays("r1", "hi", of));
    playLost(demo);
    const frames = await framesOf(demo, agUiSays("r2", "how are you?", of));
    const types = readAgUi(frames).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["MESSAGES_SNAPSHOT", "RUN_ERROR"]);
    const snapshot = readAgUi(frames).find((event) => event.type === "MESSAGES_SNAPSHOT");
    expect(JSON.stringify(snapshot)).toContain("Hello.");
    expect(JSON.stringify(snapshot)).not.toContain("I am ");
  });
});

it("gives no history to a client without the scope read: it keeps what it was shown until it connects again", async () => {
  const runner: Principal = { id: "someone", scopes: ["run"] };
  const demo = await open({ authenticate: async () => runner });
  await framesOf(demo, agUiSays("r1", "hi"));
  const frames = await framesOf(demo, agUiSays("r2", "how are you?"));
  expect(frames).toContain("All is well.");
  expect(frames).not.toContain("MESSAGES_SNAPSHOT");
});

/** Has the next run be one whose owner died after a few words. */
function playLost({ runtime }: OpenDemo): void {
  const at = { run_id: "lost", thread_id: "t", timestamp_ms: 0 } as const;
  const rest: AgentEvent[] = [
    { ...at, type: "run_start", seq: 1, data: {} },
    { ...at, type: "step_start", seq: 2, data: { message_id: "lost-s1-m" } },
    { ...at, type: "text_delta", seq: 3, data: { delta: "I am " } },
    { ...at, type: "stream_reset", data: { from_seq: 1 } },
    { ...at, type: "step_start", seq: 2, data: { message_id: "lost-s1-m" } },
  ];
  const submit = runtime.submit.bind(runtime);
  runtime.submit = async (request) => {
    const take = () => {
      const event = rest.shift();
      return event === undefined ? undefined : { event, cursor: `lost:1:${event.seq ?? 1}` };
    };
    const events: ReturnType<RunHandle["eventsWithCursor"]> = {
      [Symbol.asyncIterator]: () => events,
      takeNow: take,
      next: async () => {
        const value = take();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
    };
    return { ...(await submit(request)), eventsWithCursor: () => events };
  };
}
