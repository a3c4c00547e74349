import { suspendTool } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { byHistory, resultOf } from "../decisions/support/by-history.ts";
import { assertSettled } from "../decisions/support/settled.ts";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { soon } from "../support/wait.ts";

const ASKED = { call: "add", arguments: { title: "asked" } } as const;

/** A tool that asks for a value and says what it got. */
function valueTool() {
  return countingTool({
    execute: (_, { decision }) =>
      decision === undefined
        ? suspendTool({ action: "value", responseSchema: {} })
        : { has: "result" in decision, got: decision.result ?? null },
  }).tool;
}

/**
 * T5. Elsewhere a resume looks only into the maps of its own process (mastra-ai/mastra#20600), and `false`, `0` and `""` are
 * not taken for an answer (mastra-ai/mastra#19083, fixed late).
 */
describe("T5: resumed in another process, with a value that looks like nothing", () => {
  it.each([[false], [0], [""], [null]] as readonly (readonly [Json])[])("%j reaches the tool", async (value) => {
    const world = createWorld();
    const script = byHistory([[ASKED], "after"]);
    const first = await openRuntime({ world, script, tools: [valueTool()] });
    const { id } = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await soon((await first.runtime.run(id)).outcome())).toMatchObject({ status: "waiting" });
    await first.runtime.close();

    const second = await openRuntime({ world, script, tools: [valueTool()] });
    const [open] = await second.runtime.decisions.list({ threadId: "t1" });
    expect(open, "what waits says of which call").toMatchObject({ id: `${id}-s1-c0`, run_id: id, tool_id: "add" });
    await second.runtime.decisions.decide(open?.id ?? "", { action: "supply", result: value });
    expect(await soon((await second.runtime.run(id)).outcome())).toMatchObject({ status: "done", text: "after" });
    expect(JSON.parse(resultOf(second.model.requests[0], `${id}-s1-c0`) ?? "")).toEqual({ has: true, got: value });
    await assertSettled(second.tenant, "t1");
  });
});
