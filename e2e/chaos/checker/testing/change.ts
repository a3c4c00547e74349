import type { AgentEvent, Decision, Message, ToolCallRecord } from "@reprise/contracts";
import type { EffectLine, LedgerEntry } from "../../ledger/ledger-line.ts";
import type { WitnessRecord } from "../../witness/witness-record.ts";
import type { History, RunHistory, ThreadHistory } from "../history.ts";

/** Makes another history out of one. */
export type Change = (history: History) => History;

/** Changes the one thread of a recorded history. */
export function inThread(change: (thread: ThreadHistory) => Partial<ThreadHistory>): Change {
  return (history) => ({ ...history, threads: history.threads.map((thread) => ({ ...thread, ...change(thread) })) });
}

/** Changes its one run. */
export function inRun(change: (run: RunHistory) => Partial<RunHistory>): Change {
  return inThread(({ runs }) => ({ runs: runs.map((run) => ({ ...run, ...change(run) })) }));
}

/** Changes the row of the run. */
export function inRunRow(change: Partial<RunHistory["run"]>): Change {
  return inRun(({ run }) => ({ run: { ...run, ...change } }));
}

/** Changes the calls of a tool. */
export function inCalls(tool: string, change: Partial<ToolCallRecord>): Change {
  return inRun(({ calls }) => ({
    calls: calls.map((call) => (call.tool_id === tool ? { ...call, ...change } : call)),
  }));
}

/** Changes its stored events. */
export function inEvents(change: (event: AgentEvent) => AgentEvent): Change {
  return inRun(({ segments }) => ({
    segments: segments.map((segment) => ({ ...segment, events: segment.events.map(change) })),
  }));
}

export function inDecisions(change: Partial<Decision>): Change {
  return inRun(({ decisions }) => ({ decisions: decisions.map((decision) => ({ ...decision, ...change })) }));
}

type StoredChangeset = ThreadHistory["changesets"][number];

/** Changes the changeset at a version. */
export function inChangeset(version: number, change: (changeset: StoredChangeset) => Partial<StoredChangeset>): Change {
  return inThread(({ changesets }) => ({
    changesets: changesets.map((item) => (item.version === version ? { ...item, ...change(item) } : item)),
  }));
}

/** Puts changed effects of a tool beside or in place of its first. */
export function inFirstEffect(
  tool: string,
  change: (effect: LedgerEntry<EffectLine>) => readonly LedgerEntry<EffectLine>[],
): Change {
  return (history) => {
    const first = history.effects.findIndex((effect) => effect.tool === tool);
    const effects = history.effects.flatMap((effect, place) => (place === first ? change(effect) : [effect]));
    return { ...history, effects };
  };
}

/** Changes what clients saw of events. */
export function inSeenEvents(change: (event: AgentEvent) => AgentEvent | undefined): Change {
  return (history) => {
    const witness = history.witness.flatMap((record): readonly WitnessRecord[] => {
      if (record.type !== "event") return [record];
      const event = change(record.event);
      return event === undefined ? [] : [{ ...record, event }];
    });
    return { ...history, witness };
  };
}

/** Lets clients see more than they did. */
export function witnessing(...records: readonly WitnessRecord[]): Change {
  return (history) => ({ ...history, witness: [...history.witness, ...records] });
}

export function inMessages(change: (messages: readonly Message[]) => readonly Message[]): Change {
  return inThread(({ messages }) => ({ messages: change(messages) }));
}
