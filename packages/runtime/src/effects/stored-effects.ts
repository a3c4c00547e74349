import type { AgentEvent, Changeset, Effect } from "@reprise/contracts";
import { getAt, type Json, type JsonObject } from "@reprise/state";

/** The parts of a commit that effects refer to. */
export type CommitContent = Pick<Changeset, "events" | "patches">;

/** Effects whose changes are patches of their commit. */
const REFERRING: ReadonlySet<string> = new Set(["execute", "reduce", "migrate"]);

type CallDone = Extract<AgentEvent, { type: "tool_call_done" }>;

/** Leaves out of an effect what its own commit says already: the result of a call, and what a reducer, a migration or a tool changed. */
export function referToCommit(effect: Effect, content: CommitContent): Effect {
  const { kind, value } = effect;
  if (!REFERRING.has(kind) || typeof value !== "object" || value === null) return effect;
  if (kind === "execute") return { ...effect, value: withoutResult(value as JsonObject, effect.of, content) };
  const patch = content.patches.findIndex(({ ops }) => (ops as unknown) === (value as JsonObject).ops);
  return patch < 0 ? effect : { ...effect, value: { patch } };
}

function withoutResult(value: JsonObject, callId: string, { events }: CommitContent): Json {
  const done = events.find((event): event is CallDone => isDone(event, callId));
  // Of several attempts only one is what the commit holds.
  if (done === undefined || (done.data.result as unknown) !== value.result) return value;
  const { result: _result, ops, ...rest } = value;
  return ops === undefined || ops === (done.data.patch?.ops as unknown) ? rest : { ...rest, ops };
}

/** Effects with everything in them that they refer to. */
export function resolveReferences(effects: readonly Effect[], { events, patches }: CommitContent): readonly Effect[] {
  return effects.map((effect) => {
    const { kind, of, value = null, failed } = effect;
    if (kind === "execute" && failed === undefined && getAt(value, ["result"]) === undefined) {
      const done = events.find((event): event is CallDone => isDone(event, of));
      const { result = null, patch } = done?.data ?? {};
      // Both are JSON, which their interfaces hide.
      return { ...effect, value: { result, ops: patch?.ops ?? [], ...(value as object) } as unknown as Json };
    }
    const index = kind === "reduce" || kind === "migrate" ? getAt(value, ["patch"]) : undefined;
    if (typeof index !== "number") return effect;
    // As above.
    return { ...effect, value: { ops: (patches[index]?.ops ?? []) as unknown as Json } };
  });
}

/** Whether an event says how the execution of a call ended; not that it was never executed. */
function isDone(event: AgentEvent, callId: string): boolean {
  return event.type === "tool_call_done" && event.data.id === callId && event.data.outcome !== "cancelled";
}
