import { defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { openRuntime } from "./support/open-runtime.ts";
import { soon } from "./support/wait.ts";

const start = { agent: "agent", threadId: "t1", input: "go" } as const;
const spoken = [[{ text: ["Hello ", "there", "."] }]] as const;

async function listOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe("run.textStream", () => {
  it("gives the text piece by piece, from the beginning, as often as it is read", async () => {
    const { runtime } = await openRuntime({ script: spoken });
    const run = await runtime.start(start);
    expect(await soon(listOf(run.textStream))).toEqual(["Hello ", "there", "."]);
    expect((await soon(listOf(run.textStream))).join("")).toBe("Hello there.");
  });

  it("throws the failure of a run after the text that was shown", async () => {
    const { runtime } = await openRuntime({ script: [[{ text: "Well, " }, { fail: "auth" }]] });
    const run = await runtime.start(start);
    const shown: string[] = [];
    const reading = (async () => {
      for await (const piece of run.textStream) shown.push(piece);
    })();
    await expect(soon(reading)).rejects.toMatchObject({ name: "RepriseError", code: "MODEL_AUTH" });
    expect(shown).toEqual(["Well, "]);
  });

  it("can be left before its end", async () => {
    const { runtime } = await openRuntime({ script: spoken });
    const run = await runtime.start(start);
    for await (const piece of run.textStream) {
      expect(piece).toBe("Hello ");
      break;
    }
    expect(await soon(run.text)).toBe("Hello there.");
  });
});

describe("run.text", () => {
  it("is the final text, the same for everybody who awaits it", async () => {
    const { runtime } = await openRuntime({ script: spoken });
    const { text } = await runtime.start(start);
    expect(await soon(Promise.all([text, text.then((said) => said.length), text.finally(() => undefined)]))).toEqual([
      "Hello there.",
      12,
      "Hello there.",
    ]);
    expect(String(text)).toBe("[object Promise]");
  });

  it("waits for nothing and rejects nowhere when nobody awaits it", async () => {
    const rejected: unknown[] = [];
    const listen = (reason: unknown): void => void rejected.push(reason);
    process.on("unhandledRejection", listen);
    try {
      const { runtime } = await openRuntime({ script: [[{ fail: "auth" }]] });
      const run = await runtime.start(start);
      // Reading the property, as a logger or a spread would, is not awaiting it.
      const copy = { ...run };
      expect(copy.text).toBe(run.text);
      await soon(run.outcome());
      await new Promise((resolve) => setImmediate(resolve));
      expect(rejected).toEqual([]);
      await expect(run.text.catch((error: unknown) => error)).resolves.toMatchObject({ code: "MODEL_AUTH" });
    } finally {
      process.off("unhandledRejection", listen);
    }
  });

  it("says which decision a run needs, and that a run was cancelled", async () => {
    const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => "paid" });
    const { runtime } = await openRuntime({ script: [[{ call: "pay" }]], tools: [pay] });
    const run = await runtime.start(start);
    const callId = `${run.id}-s1-c0`;
    await expect(soon(run.text.then())).rejects.toMatchObject({
      code: "RUN_NOT_DONE",
      message: expect.stringContaining(callId),
      details: { calls: [callId] },
    });
    await run.cancel();
    const again = await runtime.run(run.id);
    await soon(again.outcome());
    await expect(soon(again.text.then())).rejects.toMatchObject({ code: "RUN_CANCELLED" });
  });
});

it("a run is read like its events", async () => {
  const { runtime } = await openRuntime({ script: spoken });
  const run = await runtime.start(start);
  const types = (await soon(listOf(run))).map(({ type }) => type);
  expect(types).toEqual((await soon(listOf(run.events()))).map(({ type }) => type));
  expect([types[0], types.at(-1)]).toEqual(["run_start", "run_finish"]);
});
