import { type Script, scriptedModel } from "@reprise/models";
import { defineAgent } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assertConsistent } from "./support/assert-consistent.ts";
import { freezeProcess } from "./support/frozen-env.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { settle, soon } from "./support/wait.ts";

const outputSchema = z.object({ city: z.string(), degrees: z.number() });
const GOOD = '{"city":"Paris","degrees":21}';

const open = (script: Script, more = {}) => openRuntime({ script, agent: { outputSchema }, ...more });

describe("an agent with an output schema", () => {
  it("answers with JSON of that shape, and tells the model so", async () => {
    const { runtime, model } = await open([GOOD]);
    const outcome = await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
    expect(outcome).toMatchObject({ status: "done", text: GOOD, output: { city: "Paris", degrees: 21 } });
    expect(model.requests[0]?.output_schema?.schema).toMatchObject({ type: "object", required: ["city", "degrees"] });
  });

  it("takes an answer in a code block", async () => {
    const { runtime } = await open([`\`\`\`json\n${GOOD}\n\`\`\``]);
    const outcome = await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
    expect(outcome).toMatchObject({ status: "done", output: { city: "Paris" } });
  });

  it("sends an answer back once, with what is wrong with it", async () => {
    const { runtime, model, tenant } = await open(['{"city":"Paris"}', GOOD]);
    const outcome = await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
    expect(outcome).toMatchObject({ status: "done", output: { degrees: 21 } });
    const last = model.requests[1]?.messages.at(-1);
    expect(last).toMatchObject({ role: "user", visibility: "internal", content: expect.stringContaining("degrees") });
    await assertConsistent(tenant, "t1");
  });

  it.each([
    ["not JSON", "It is warm."],
    ["of another shape", "[]"],
  ])("fails when the second answer is %s too, and keeps what was said", async (_, answer) => {
    const { runtime, tenant } = await open([answer, answer, GOOD]);
    const outcome = await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
    expect(outcome).toMatchObject({ status: "failed", code: "OUTPUT_INVALID" });
    const { messages } = await runtime.threads.messages("t1");
    expect(messages.map(({ content }) => content)).toEqual(["go", answer, answer]);
    await assertConsistent(tenant, "t1");
  });

  it("asks again in each run, not once a thread", async () => {
    const { runtime } = await open(["no", GOOD, "no", GOOD]);
    for (const input of ["one", "two"]) {
      const outcome = await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input }));
      expect(outcome).toMatchObject({ status: "done", output: { city: "Paris" } });
    }
  });

  it("does not ask a second time when another owner takes over", async () => {
    const world = createWorld();
    const first = await open(["no", [{ stall: true }]], { world, ...freezeProcess(world) });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    await world.env.advance(13_000);
    const next = await open(["no", "no", GOOD], { world });
    expect(await soon((await next.runtime.run(run.id)).outcome())).toMatchObject({ code: "OUTPUT_INVALID" });
    expect(next.model.requests.length).toBeLessThanOrEqual(2);
  });

  it("is refused at once when the schema is none", () => {
    const agent = { id: "a", model: scriptedModel([]), outputSchema: { type: 7 } };
    expect(() => defineAgent(agent)).toThrow(/not a JSON Schema/);
  });
});
