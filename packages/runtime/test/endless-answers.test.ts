import type { LanguageModel, ModelChunk } from "@reprise/contracts";
import { openaiCompatible } from "@reprise/models";
import { startModelServer } from "@reprise/testkit/model-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";

const PIECE = "x".repeat(64 * 1024);

/** Events of chat completions that begin like an answer and never end. */
function* forEver(delta: object): Generator<string> {
  yield event({ tool_calls: [{ index: 0, id: "c", function: { name: "add", arguments: '{"a":"' } }] });
  for (;;) yield event(delta);
}

function event(delta: object): string {
  return `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
}

async function runWith(model: LanguageModel) {
  const { runtime, tenant } = await openRuntime({ model });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const outcome = await run.outcome();
  await assertConsistent(tenant, "t1");
  return { outcome, run: await run.record() };
}

describe("issue 14.39: an answer without end fails its run", () => {
  it.each([
    ["text", { content: PIECE }],
    ["reasoning", { reasoning_content: PIECE }],
    ["tool arguments", { tool_calls: [{ index: 0, function: { arguments: PIECE } }] }],
  ])("of %s, over HTTP", async (_, delta) => {
    const server = await startModelServer(() => ({ pieces: forEver(delta) }));
    onTestFinished(() => server.close());
    const model = openaiCompatible({ id: "local", baseUrl: `${server.url}/v1` }).model("m");
    const { outcome } = await runWith(model);
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching("too large") });
    // The server sees that the reader is gone, and it is not asked again.
    expect(await server.requests[0]?.isAnswered).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, (count: number) => ModelChunk]>([
    ["single letters", () => ({ type: "text_delta", delta: "x" })],
    ["calls", (count) => ({ type: "tool_call_ready", id: `c${count}`, name: "add", arguments: "{}" })],
    ["begun calls", (count) => ({ type: "tool_call_start", id: `c${count}`, name: "add" })],
    ["files", () => ({ type: "file", url: `data:image/png;base64,${PIECE}`, media_type: "image/png" })],
    ["opaque reasoning", () => ({ type: "reasoning_encrypted", value: PIECE })],
  ])("of %s, of a model given by value", async (_, chunk) => {
    const model: LanguageModel = {
      id: "endless",
      async *stream() {
        for (let count = 0; ; count++) yield chunk(count);
      },
    };
    const { outcome } = await runWith(model);
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching("too large") });
  });
});
