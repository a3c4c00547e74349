import type { DecisionVerb } from "@reprise/contracts";
import type { Scene } from "./scene.ts";
import { locate, wire } from "./scene-tools.ts";
import { openStage, recordRun, settle } from "./stage.ts";

/** Sends money to each of these, and decides about the calls in their order, one activation each. */
async function decideAbout(names: readonly string[], verbs: readonly DecisionVerb[]) {
  const calls = names.map((to) => ({ call: "wire", arguments: { to, amount: 10 } }));
  const stage = await openStage({ tools: [wire], script: [calls, "It is settled."] });
  const run = await stage.start();
  await run.outcome();
  const open = await stage.runtime.decisions.list();
  for (const [index, verb] of verbs.entries()) {
    await stage.runtime.decisions.decide(open[index]?.id ?? "", verb);
    await settle();
  }
  return recordRun(stage, run);
}

/** Runs that waited and went on. */
export const DECIDED: readonly Scene[] = [
  {
    name: "approval-approved",
    about: "A call that was approved and then ran.",
    record: () => decideAbout(["Ada"], [{ action: "approve" }]),
  },
  {
    name: "approval-denied",
    about: "A call that was denied, with a reason.",
    record: () => decideAbout(["Ada"], [{ action: "deny", reason: "Not this month." }]),
  },
  {
    name: "approval-edited",
    about: "A call that ran with other arguments.",
    record: () => decideAbout(["Ada"], [{ action: "edit", arguments: { to: "Ada", amount: 1 } }]),
  },
  {
    name: "two-approvals",
    about: "Two calls of one step: one approved, and in a later activation the other denied.",
    record: () => decideAbout(["Ada", "Bob"], [{ action: "approve" }, { action: "deny" }]),
  },
  {
    name: "frontend-tool",
    about: "A call that is done in the browser.",
    async record() {
      const stage = await openStage({ tools: [locate], script: [[{ call: "locate" }], "You are in Oslo."] });
      const run = await stage.start();
      await run.outcome();
      const [open] = await stage.runtime.decisions.list();
      await stage.runtime.decisions.decide(open?.id ?? "", { action: "supply", result: { city: "Oslo" } });
      await settle();
      return recordRun(stage, run);
    },
  },
  {
    name: "superseded",
    about: "A run that waited until the user said something else.",
    async record() {
      const stage = await openStage({
        tools: [wire],
        script: [[{ call: "wire", arguments: { to: "Ada", amount: 10 } }], "As you like."],
      });
      const run = await stage.start();
      await run.outcome();
      const next = await stage.start({ text: "Never mind.", runId: "run-2" });
      await next.outcome();
      return recordRun(stage, run);
    },
  },
  {
    name: "budget-question",
    about: "A run that asked for more money before its first word, and got it.",
    async record() {
      const stage = await openStage({ script: ["It was worth it."] });
      const run = await stage.start({ budget: { limit_microcents: 1, on_exceeded: "pause" } });
      await run.outcome();
      const [open] = await stage.runtime.decisions.list();
      await stage.runtime.decisions.decide(open?.id ?? "", { action: "approve" });
      await settle();
      return recordRun(stage, run);
    },
  },
];
