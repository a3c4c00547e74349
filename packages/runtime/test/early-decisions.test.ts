import type { ModelChunk } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { bindingHash, toolVersion } from "../src/resolve/tool-version.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { gate, soon } from "./support/wait.ts";

/** A run whose model has begun a call that needs approval and is not done speaking: there is no row of the call yet. */
async function begin() {
  const speaking = gate();
  const { tool, keys } = countingTool({ needsApproval: true });
  const model = {
    id: "slow",
    async *stream({
      messages,
    }: {
      readonly messages: readonly { readonly role: string }[];
    }): AsyncGenerator<ModelChunk> {
      if (messages.at(-1)?.role === "tool") {
        yield { type: "text_delta", delta: "after" };
        return yield { type: "finish", stop_reason: "end_turn" };
      }
      yield { type: "tool_call_ready", id: "1", name: "add", arguments: '{"title":"x"}' };
      await speaking.promise;
      yield { type: "finish", stop_reason: "tool_use" };
    },
  };
  const bench = await openRuntime({ model, tools: [tool] });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const callId = `${run.id}-s1-c0`;
  const about = (title: string) =>
    bindingHash(bench.env, "default", {
      thread_id: "t1",
      run_id: run.id,
      call_id: callId,
      tool_id: "add",
      tool_version: toolVersion(bench.env, tool),
      arguments: { title },
    });
  return { ...bench, run, callId, about, keys, speaking };
}

describe("a decision that comes before its suspension", () => {
  it("counts when it says exactly what it is about", async () => {
    const { runtime, run, callId, about, keys, speaking } = await begin();
    await runtime.decisions.decide(callId, { action: "approve" }, { bindingHash: about("x") });
    speaking.open();
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(keys).toEqual([callId]);
  });

  it("counts for nothing when it is about other arguments, and the call is asked about anew", async () => {
    const { runtime, run, callId, about, keys, speaking } = await begin();
    await runtime.decisions.decide(callId, { action: "approve" }, { bindingHash: about("y") });
    speaking.open();
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting", open: [{ id: callId, suspension: 2 }] });
    expect(keys).toEqual([]);
  });

  it("is refused without the hash, and nothing is stored", async () => {
    const { runtime, run, callId, keys, speaking } = await begin();
    const refusal = runtime.decisions.decide(callId, { action: "approve" });
    await expect(refusal).rejects.toMatchObject({ code: "NOT_SUSPENDED" });
    speaking.open();
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting", open: [{ id: callId, suspension: 1 }] });
    expect(keys).toEqual([]);
  });
});
