import { getAt, isJson, type Json } from "@reprise/state";
import { answerOf } from "../../workload/chaos-tools.ts";
import { NOTES_PATH } from "../../workload/notes-state.ts";
import { tellCalls } from "../call-story.ts";
import type { History, ThreadHistory, Violation } from "../history.ts";
import { isSameJson } from "../same-json.ts";

/** Part of I6: a call that notes what it did is in its thread's state exactly once, unless its run was rolled back. */
export function findWrongNotes(history: History): readonly Violation[] {
  const stories = Map.groupBy(tellCalls(history), ({ call }) => call.thread_id);
  return history.threads.flatMap((thread) => {
    const { thread_id } = thread.thread;
    const undone = rolledBack(thread);
    const noted = notesOf(thread);
    const expected = (stories.get(thread_id) ?? [])
      .filter(({ call, kind }) => kind.notes === true && call.status === "succeeded" && !undone.has(call.run_id))
      .filter(({ call, done, effects }) =>
        effects.some(({ n }) => isSameJson(done?.data.result.data, answerOf(call.tool_id, n))),
      )
      .map(({ call }) => call.call_id);
    const problems = [
      ...expected.filter((id) => !noted.includes(id)).map((id) => `Call ${id} succeeded and is not in the state.`),
      ...noted.filter((id) => !expected.includes(id)).map((id) => `Call ${id} is in the state and did not succeed.`),
      ...noted.filter((id, place) => noted.indexOf(id) !== place).map((id) => `Call ${id} is in the state twice.`),
    ];
    return problems.map((message): Violation => ({ invariant: "I6", thread_id, message }));
  });
}

/** Runs whose messages a rollback withdrew. */
function rolledBack({ changesets }: ThreadHistory): ReadonlySet<string> {
  const withdrawn = new Set(
    changesets.filter(({ reasons }) => reasons.includes("rollback")).flatMap(({ supersedes }) => supersedes),
  );
  const messages = changesets.flatMap((changeset) => changeset.messages).filter(({ id }) => withdrawn.has(id));
  return new Set(messages.map(({ metadata }) => metadata?.run_id ?? ""));
}

function notesOf({ state }: ThreadHistory): readonly string[] {
  const list: Json | undefined = isJson(state) ? getAt(state, [NOTES_PATH]) : undefined;
  if (!Array.isArray(list)) return [];
  return list.map((note: Json) =>
    typeof note === "object" && note !== null && "call" in note ? String(note.call) : "",
  );
}
