import { createRuntime, defineAgent, memory, scriptedModel } from "reprise";
import type { ToolExecutionMode } from "reprise/advanced";
import type { ScriptStep } from "reprise/testing";
import { Ticks } from "./ticks.ts";
import { Timeline } from "./timeline.ts";

/** Runs calls as one tool round and shows what ran when. A person approves, a tick after being asked. */
async function showRound(calls: readonly ScriptStep[], toolExecutionMode: ToolExecutionMode): Promise<void> {
  const ticks = new Ticks();
  const timeline = new Timeline(ticks);
  const agent = defineAgent({
    id: "worker",
    model: scriptedModel([calls, "Done."]),
    tools: [
      timeline.tool("read", { class: "read_only" }),
      timeline.tool("write"),
      timeline.tool("send"),
      timeline.tool("sign", { needsApproval: true }),
    ],
    toolConcurrency: { send: { max: 2 } }, // promoted: two letters at a time do no harm
    toolExecutionMode,
  });
  const runtime = await createRuntime({ agents: [agent], store: memory() });
  const run = await runtime.start({ agent: "worker", input: "Work." });
  for await (const { type, data } of run.events({ follow: true })) {
    if (type !== "tool_call_done" || data.outcome !== "suspended") continue;
    await ticks.sleep(1);
    await runtime.decisions.decide(data.id, { action: "approve" });
  }
  timeline.print();
  await runtime.close();
}

const call = (tool: string, what: string, ticks: number): ScriptStep => ({ call: tool, arguments: { what, ticks } });

/** One round with calls of every class. */
export async function showClasses(): Promise<void> {
  const round = [
    call("read", "a", 3),
    call("read", "b", 2),
    call("write", "c", 2),
    call("write", "d", 2),
    call("read", "e", 2),
    call("send", "f", 3),
    call("send", "g", 2),
    call("send", "h", 3),
  ];
  await showRound(round, "parallel_streaming");
}

/** The same round, with a call that needs approval, in each of the modes. */
export async function showModes(): Promise<void> {
  const round = [call("sign", "a", 2), call("read", "b", 3), call("read", "c", 5)];
  for (const mode of ["sequential", "parallel_batch_approval", "parallel_streaming"] as const) {
    console.log(mode);
    await showRound(round, mode);
  }
}
