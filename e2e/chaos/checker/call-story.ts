import type { AgentEvent, Decision, EventOf, ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { EffectLine, LedgerEntry } from "../ledger/ledger-line.ts";
import { type ToolKind, toolKind } from "../workload/tool-kinds.ts";
import type { History } from "./history.ts";
import { eventsOf } from "./index-history.ts";

/** A question that was asked about a call, and the answer that was used, if one was. */
export interface AskedQuestion {
  readonly suspension: number;
  /** `approval`, `unknown_outcome`, or what the tool asked. */
  readonly action: string;
  /** What it was asked about: the call with these arguments, of this version of its tool. */
  readonly binding_hash: string;
  readonly arguments: Json;
  readonly used?: Decision;
}

/** Everything that is known of one call. */
export interface CallStory {
  readonly call: ToolCallRecord;
  readonly kind: ToolKind;
  readonly questions: readonly AskedQuestion[];
  readonly effects: readonly LedgerEntry<EffectLine>[];
  /** The event that ended it, when it has ended. */
  readonly done?: EventOf<"tool_call_done">;
  /** When a client first saw that event: it had happened by then, whatever the clocks of workers said. */
  readonly seenDoneAt?: number;
}

const cache = new WeakMap<History, readonly CallStory[]>();

/** The stories of all calls of a history. */
export function tellCalls(history: History): readonly CallStory[] {
  const known = cache.get(history);
  if (known !== undefined) return known;
  const effects = Map.groupBy(history.effects, ({ call_id }) => call_id);
  const ends = seenEnds(history);
  const stories = history.threads.flatMap(({ runs, changesets }) => {
    const used = new Set(
      changesets.flatMap(({ consumed_decisions }) =>
        consumed_decisions.map(({ call_id, suspension }) => `${call_id}#${suspension}`),
      ),
    );
    return runs.flatMap((run) => {
      const done = eventsOf(run).filter(isCallDone);
      return run.calls.flatMap((call): readonly CallStory[] => {
        const kind = toolKind(call.tool_id);
        if (kind === undefined) return [];
        const own = done.filter(({ data }) => data.id === call.call_id);
        const end = own.find(({ data }) => data.outcome !== "suspended");
        const seenDoneAt = ends.get(call.call_id);
        return [
          {
            call,
            kind,
            questions: own.flatMap((event) => questionOf(event, run.decisions, used)),
            effects: effects.get(call.call_id) ?? [],
            ...(end !== undefined && { done: end }),
            ...(seenDoneAt !== undefined && { seenDoneAt }),
          },
        ];
      });
    });
  });
  cache.set(history, stories);
  return stories;
}

/** When clients first saw each call end. */
function seenEnds({ witness }: History): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const record of witness) {
    if (record.type !== "event" || record.event.type !== "tool_call_done") continue;
    const { id, outcome } = record.event.data;
    if (outcome !== "suspended" && !ends.has(id)) ends.set(id, record.at);
  }
  return ends;
}

function isCallDone(event: AgentEvent): event is EventOf<"tool_call_done"> {
  return event.type === "tool_call_done";
}

function questionOf(
  { data }: EventOf<"tool_call_done">,
  decisions: readonly Decision[],
  used: ReadonlySet<string>,
): readonly AskedQuestion[] {
  if (data.suspended === undefined) return [];
  const { suspension, ticket, binding_hash } = data.suspended;
  const decision = used.has(`${data.id}#${suspension}`)
    ? decisions.find((item) => item.call_id === data.id && item.suspension === suspension)
    : undefined;
  const { action } = ticket.suspension;
  const { arguments: asked } = ticket.pending;
  return [{ suspension, action, binding_hash, arguments: asked, ...(decision !== undefined && { used: decision }) }];
}

/** Whether a decision lets the tool run. */
export function letsRun({ action, result }: Decision, question: Pick<AskedQuestion, "action">): boolean {
  return action === "resume" && (result === undefined || question.action.startsWith("tool:"));
}
