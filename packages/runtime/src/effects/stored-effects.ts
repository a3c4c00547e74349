import type { AgentEvent, Changeset, Effect } from "@reprise/contracts";
import { getAt, isJson, type Json, type JsonObject } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";

/** The parts of a commit that effects refer to. */
export type CommitContent = Pick<Changeset, "events" | "patches">;

/** Effects whose changes are patches or events of their commit. */
const REFERRING: ReadonlySet<string> = new Set(["execute", "reduce", "migrate", "phase"]);

type CallDone = Extract<AgentEvent, { type: "tool_call_done" }>;

/**
 * Leaves out of an effect what its own commit says already: the result of a call, what a reducer, a migration or a tool changed, and the events
 * that plugins emitted.
 */
export function referToCommit(effect: Effect, content: CommitContent): Effect {
  const { kind, value } = effect;
  if (!REFERRING.has(kind) || typeof value !== "object" || value === null) return effect;
  if (kind === "execute") return { ...effect, value: withoutResult(value as JsonObject, effect.of, content) };
  if (kind === "phase") return { ...effect, value: changeEmits(value, (action) => referToEvent(action, content)) };
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

type Emit = { readonly type: "emit"; readonly event?: Json; readonly seq?: number };

/** The answers of a phase with their `emit` actions changed; the same value when there are none. */
function changeEmits(value: Json, change: (action: Emit) => Json): Json {
  const answers = getAt(value, ["answers"]);
  if (!Array.isArray(answers) || !answers.some(hasEmit)) return value;
  const changed = answers.map((answer) => {
    const { actions } = answer as JsonObject;
    if (!Array.isArray(actions)) return answer;
    return { ...(answer as JsonObject), actions: actions.map((action) => (isEmit(action) ? change(action) : action)) };
  });
  return { ...(value as JsonObject), answers: changed };
}

function hasEmit(answer: Json): boolean {
  const actions = getAt(answer, ["actions"]);
  return Array.isArray(actions) && actions.some(isEmit);
}

function isEmit(action: Json): action is Emit & JsonObject {
  return getAt(action, ["type"]) === "emit";
}

/** An event that is not in this commit is stored here, and one that cannot be stored is left out: it failed the run. */
function referToEvent({ event }: Emit, { events }: CommitContent): Json {
  const data: unknown = getAt(event ?? null, ["data"]);
  const committed = events.find((each) => each.data === data);
  if (committed?.seq !== undefined) return { type: "emit", seq: committed.seq };
  return isJson(event) ? { type: "emit", event: copyJson(event) } : { type: "emit" };
}

function readEvent(action: Emit, events: CommitContent["events"]): Json {
  const committed = action.seq === undefined ? undefined : events.find(({ seq }) => seq === action.seq);
  if (committed === undefined) return action as Json;
  // Data of an event is JSON, which its interface hides.
  return { type: "emit", event: { type: committed.type, data: committed.data as unknown as Json } };
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
    if (kind === "phase") return { ...effect, value: changeEmits(value, (action) => readEvent(action, events)) };
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
