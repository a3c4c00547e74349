import { type ActionType, changeState, PHASE_ACTIONS, PHASES, type Phase } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { defineAgent } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { settle } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { changesOf, playPlugins } from "./support/play-plugins.ts";
import { SAMPLES } from "./support/sample-actions.ts";
import { tally } from "./support/tally.ts";

const TYPES = Object.keys(SAMPLES) as ActionType[];
const isAllowed = (phase: Phase, type: ActionType): boolean =>
  (PHASE_ACTIONS[phase] as readonly ActionType[]).includes(type);

const pairs = PHASES.flatMap((phase) => TYPES.map((type) => ({ phase, type })));

/** Plays a run in which the plugin `p` returns an action in a phase, after the plugin `before` changed the state there. */
async function play(phase: Phase, type: ActionType) {
  const effects: unknown[] = [];
  const before = hookPlugin("before", phase, () => [changeState(tally.add("before"))], { states: [tally] });
  const own = hookPlugin(
    "p",
    phase,
    (context) => ("attempt" in context && context.attempt === 2 ? [] : [SAMPLES[type].action]),
    {
      scheduled: { later: { phase: "run_end", handle: () => [] } },
      effects: { tell: (payload) => void effects.push(payload) },
    },
  );
  const other = defineAgent({ id: "other", model: scriptedModel(["ok"]) });
  const played = await playPlugins([before, own], { others: [other] });
  await settle();
  return { ...played, effects };
}

it("knows every action in every phase", () => expect(pairs).toHaveLength(22 * 8));

describe("an action its phase takes", () => {
  it.each(pairs.filter(({ phase, type }) => isAllowed(phase, type)))("$phase: $type", async ({ phase, type }) => {
    const played = await play(phase, type);
    expect(played.failure).toBeUndefined();
    SAMPLES[type].check(played);
    await assertConsistent(played.tenant, "t1");
  });
});

describe("an action its phase does not take", () => {
  it.each(pairs.filter(({ phase, type }) => !isAllowed(phase, type)))("$phase: $type", async ({ phase, type }) => {
    const { outcome, failure, changesets, tenant, run } = await play(phase, type);
    expect(outcome.status).toBe("failed");
    expect(failure?.code).toBe("INVALID_ACTION");
    const taken = PHASE_ACTIONS[phase].join(", ");
    expect(failure?.message).toBe(`Plugin p returned "${type}" in ${phase}, which takes: ${taken}.`);
    expect(await run.record()).toMatchObject({ termination_code: "error", termination_detail: failure?.message });
    expect(changesOf(changesets, "before")).toEqual({ patches: [], actions: [] });
    await assertConsistent(tenant, "t1");
  });
});
