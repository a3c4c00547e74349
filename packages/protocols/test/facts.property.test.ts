import { encodeFactEvent, type Fact, type FactState, factSchema, INITIAL_FACT_STATE } from "@reprise/protocols/facts";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { legalRun } from "./support/legal-run.ts";

const rolls = fc.array(fc.nat(1_000), { minLength: 10, maxLength: 300, size: "max" });
const isFact = new Ajv2020({ strict: false, formats: { "date-time": true } }).compile(factSchema());

function factsOf(numbers: readonly number[]): readonly Fact[] {
  let state: FactState = INITIAL_FACT_STATE;
  return legalRun(numbers).flatMap((event) => {
    const [next, told] = encodeFactEvent(state, event);
    state = next;
    return told;
  });
}

/** Where a call stands after its last fact. */
type Stand = "new" | "started" | "ready" | "asked" | "decided" | "ended";

/** Which facts may follow which. A call may come without `tool.started`; a person may answer as late as with the end of the run. */
const ORDER: Readonly<Record<string, { readonly after: readonly Stand[]; readonly next: Stand }>> = {
  "tool.started": { after: ["new"], next: "started" },
  "tool.args": { after: ["new", "started"], next: "ready" },
  "action.required": { after: ["ready", "decided"], next: "asked" },
  "action.resolved": { after: ["asked"], next: "decided" },
  "tool.result": { after: ["ready", "asked", "decided"], next: "ended" },
  "tool.failed": { after: ["ready", "asked", "decided"], next: "ended" },
};

/** Follows every call through its facts, and says how the last one of each left it. */
function followCalls(facts: readonly Fact[]): ReadonlyMap<string, Stand> {
  const stands = new Map<string, Stand>();
  const asked = new Map<string, string | undefined>();
  const decided = new Map<string, string | undefined>();
  for (const { type, stepId, toolCallId, actionId, payload } of facts) {
    // A step that is done again has new calls under the same ids.
    if (type === "snapshot.repaired") {
      for (const [id, stand] of stands) if (stand === "started" || stand === "ready") stands.delete(id);
    }
    if (toolCallId === undefined) continue;
    const { after, next } = ORDER[type] ?? { after: [], next: "new" };
    expect(after, `${type} of ${toolCallId}`).toContain(stands.get(toolCallId) ?? "new");
    expect(toolCallId.startsWith(`${stepId}-c`), `${toolCallId} belongs to the step ${stepId}`).toBe(true);
    stands.set(toolCallId, next);
    if (type === "action.required") asked.set(toolCallId, actionId);
    if (type === "action.resolved") {
      expect(actionId).toBe(asked.get(toolCallId));
      decided.set(toolCallId, actionId);
    }
    if (next === "ended") expect(payload.approvalRef, `the approval of ${toolCallId}`).toBe(decided.get(toolCallId));
  }
  return stands;
}

it("tells every run in facts that the shipped schema takes, each with an id of its own", () => {
  fc.assert(
    fc.property(rolls, (numbers) => {
      const facts = factsOf(numbers);
      for (const fact of facts) expect(isFact(fact), JSON.stringify([fact, isFact.errors])).toBe(true);
      expect(new Set(facts.map(({ eventId }) => eventId)).size).toBe(facts.length);
    }),
  );
});

it("tells the life of every call in order, and its end at most once", () => {
  fc.assert(fc.property(rolls, (numbers) => void followCalls(factsOf(numbers))));
});

it("tells an end of every call that ended, and of no other", () => {
  fc.assert(
    fc.property(rolls, (numbers) => {
      const ended = legalRun(numbers).flatMap((event) =>
        event.type === "tool_call_done" && event.data.outcome !== "suspended" ? [event.data.id] : [],
      );
      const stands = [...followCalls(factsOf(numbers))];
      expect(stands.flatMap(([id, stand]) => (stand === "ended" ? [id] : [])).toSorted()).toEqual(ended.toSorted());
    }),
  );
});
