import { PHASES } from "@reprise/contracts";
import { type PhaseRun, runPhase } from "../../packages/runtime/src/phases/run-phase.ts";
import { PLUGINS } from "./cases.ts";
import { type Measurement, summarize } from "./measure.ts";

const PASSES = 200_000;

/** All of a run that a phase looks at when its hooks ask for nothing: one that looks at more fails here. */
function standIn(hooks: object): PhaseRun {
  const agent = { installed: { hooks, scheduled: new Map(), plugins: [] } };
  const run = {
    plan: { kind: "local", agent },
    agent,
    run: { run_id: "01977420-dc00-7002-8271-6c43069c43a8", steps: 3 },
    claim: { epoch: 1 },
    effects: { ask: (_: unknown, ask: () => unknown): unknown => ask() },
    now: 0,
    document: {},
  };
  // A part of a run, on purpose.
  return run as unknown as PhaseRun;
}

/** What it costs to come to a phase without hooks; too little to be seen in a run. */
export function measureUnhooked(repetitions: number): Measurement {
  const workspace = standIn({});
  return measure(repetitions, 1, (pass) => runPhase(workspace, PHASES[pass % PHASES.length] ?? "run_start"));
}

/** What a hook costs that returns nothing, when nothing but its phase happens. */
export function measureHooked(repetitions: number): Measurement {
  const owned = Array.from({ length: PLUGINS }, (_, index) => ({ plugin: `plugin_${index}`, value: () => undefined }));
  const workspace = standIn({ step_start: owned });
  return measure(repetitions, PLUGINS, () => runPhase(workspace, "step_start"));
}

/** The same in a phase that is about a call, with what its hooks are told of it. */
export function measureHookedCall(repetitions: number): Measurement {
  const owned = Array.from({ length: PLUGINS }, (_, index) => ({ plugin: `plugin_${index}`, value: () => undefined }));
  const workspace = standIn({ before_tool_execute: owned });
  const tool = { id: "add", name: "add" } as never;
  return measure(repetitions, PLUGINS, () => {
    const call = { callId: "c", toolId: "add", arguments: { title: "x" }, suspension: 0 };
    return runPhase(
      workspace,
      "before_tool_execute",
      { call, tool, decision: undefined, question: undefined },
      "c-before-0",
    );
  });
}

function measure(repetitions: number, hooks: number, pass: (index: number) => unknown): Measurement {
  const passes = PASSES / hooks;
  const sample = (): number => {
    const start = process.cpuUsage();
    for (let index = 0; index < passes; index++) {
      if ((pass(index) as readonly unknown[]).length > 0) throw new Error("A phase came to something.");
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / (passes * hooks);
  };
  sample();
  return summarize(Array.from({ length: repetitions }, sample));
}
