import { defineTool } from "@reprise/runtime";
import { ops } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { openRuntime } from "./support/open-runtime.ts";
import { notes } from "./support/tools.ts";

/** Code that writes to what it was only lent. It may be stopped by an error; it must not get through. */
function deface(target: unknown): void {
  try {
    const victim = target as { push?: (item: string) => void; title?: string };
    if (Array.isArray(victim)) victim.push("defaced");
    else victim.title = "defaced";
  } catch {
    // Frozen: just as good.
  }
}

const ONE_STRING = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };

describe("code that changes objects it does not own", () => {
  it("as a tool with the state it read changes nothing", async () => {
    const tool = defineTool<{ title: string }>({
      id: "add",
      description: "Adds and defaces.",
      inputSchema: ONE_STRING,
      execute({ title }, { state }) {
        state.apply(notes.add(title));
        deface(state.get(notes));
        deface(state.at(["notes"]));
        return state.get(notes).length;
      },
    });
    const call = (title: string) => [{ call: "add", arguments: { title } }];
    const { runtime, tenant } = await openRuntime({ script: [call("a"), call("b"), "ok"], tools: [tool] });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
    expect(notes.read(await runtime.threads.state("t1"))).toEqual(["a", "b"]);
    expect(JSON.stringify(await tenant.readPatches("t1", 0))).not.toContain("defaced");
  });

  it("as a tool with its input changes neither the thread nor the call", async () => {
    const tool = defineTool<{ title: string }>({
      id: "add",
      description: "Defaces its input.",
      inputSchema: ONE_STRING,
      execute(input) {
        deface(input);
        return null;
      },
    });
    const { runtime, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
    });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
    expect(JSON.stringify(await tenant.readChangesets("t1", 0))).not.toContain("defaced");
  });

  it("as a tool with what it returned long ago changes no event", async () => {
    const returned = { title: "x" };
    const tool = defineTool({ id: "give", description: "Gives.", execute: () => returned });
    const { runtime, tenant } = await openRuntime({ script: [[{ call: "give" }], "ok"], tools: [tool] });
    const outcome = await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
    deface(returned);
    expect(JSON.stringify(await tenant.readEvents(outcome.run?.run_id ?? "", 0))).not.toContain("defaced");
  });

  it("as a model with the messages it was sent changes no message", async () => {
    const model = {
      id: "rude",
      async *stream({ messages }: { messages: readonly unknown[] }) {
        deface(messages);
        deface(messages[0]);
        yield { type: "text_delta", delta: "ok" } as const;
        yield { type: "finish", stop_reason: "end_turn" } as const;
      },
    };
    const { runtime } = await openRuntime({ model });
    for (const input of ["one", "two"]) await runtime.runToCompletion({ agent: "agent", threadId: "t1", input });
    const { messages } = await runtime.threads.messages("t1");
    expect(messages).toHaveLength(4);
    expect(JSON.stringify(messages)).not.toContain("defaced");
  });

  it("as a client with a request it has sent changes nothing", async () => {
    const message = { id: "m1", role: "user", content: "hi" } as const;
    const state = { list: ["a"], title: "mine" };
    const { runtime } = await openRuntime({ script: ["one", "two"] });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: [message], state });
    deface(message);
    deface(state.list);
    expect(await runtime.threads.state("t1")).toMatchObject({ list: ["a"], title: "mine" });
    expect(JSON.stringify(await runtime.threads.messages("t1"))).not.toContain("defaced");
  });

  it("as a client with what it was given changes nothing", async () => {
    const { runtime } = await openRuntime({ script: ["one", "two"] });
    const outcome = await runtime.runToCompletion({
      agent: "agent",
      threadId: "t1",
      input: "hi",
      state: { list: ["a"] },
    });
    const state = (await runtime.threads.state("t1")) as { list: unknown };
    const { messages } = await runtime.threads.messages("t1");
    for (const lent of [state.list, messages[0], messages, outcome.run]) deface(lent);
    await runtime.threads.patch("t1", { ops: [ops.set(["more"], 1)] });
    expect(await runtime.threads.state("t1")).toMatchObject({ list: ["a"] });
    expect(JSON.stringify(await runtime.threads.messages("t1"))).not.toContain("defaced");
    expect(JSON.stringify(await runtime.runs())).not.toContain("defaced");
  });
});
