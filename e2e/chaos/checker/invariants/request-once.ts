import type { History, Violation } from "../history.ts";
import { requestsOf } from "../requests.ts";

/** Part of I6: a request that is sent again under its key is the same request: it makes one run, and everybody is told of that one. */
export function findRepeatedRequests(history: History): readonly Violation[] {
  return [...checkAnswers(history), ...checkEntries(history), ...checkCalls(history)];
}

function checkAnswers({ witness }: History): readonly Violation[] {
  const told = new Map<string, string>();
  const requests = [...requestsOf(witness, "start"), ...requestsOf(witness, "call_tool")];
  return requests.flatMap(({ ask, answer }): readonly Violation[] => {
    const { idempotency_key: key } = ask;
    if (key === undefined || answer === undefined) return [];
    // The answers to both name a run.
    const { run_id } = answer as { readonly run_id: string };
    const first = told.get(key) ?? run_id;
    told.set(key, first);
    return first === run_id
      ? []
      : [{ invariant: "I6", run_id, message: `Key ${key} was answered with run ${first} too.` }];
  });
}

/** What a client says once is in the mailbox once. */
function checkEntries({ threads }: History): readonly Violation[] {
  return threads.flatMap(({ thread, entries }) => {
    const said = entries
      .flatMap(({ kind, request }) => (kind === "run" ? (request?.messages ?? []) : []))
      .map(({ id }) => id);
    return said
      .filter((id, place) => id !== undefined && said.indexOf(id) !== place)
      .map((id): Violation => {
        return { invariant: "I6", thread_id: thread.thread_id, message: `Message ${id} started two runs.` };
      });
  });
}

/** A call by hand has a thread of its own, so every run there is by its key. */
function checkCalls({ witness, threads }: History): readonly Violation[] {
  const keys = new Map(requestsOf(witness, "call_tool").map(({ ask }) => [ask.thread_id, ask.idempotency_key]));
  return threads.flatMap(({ thread, runs }): readonly Violation[] => {
    const key = keys.get(thread.thread_id);
    if (key === undefined || runs.length <= 1) return [];
    const { thread_id } = thread;
    return [{ invariant: "I6", thread_id, message: `Key ${key} made ${runs.length} runs.` }];
  });
}
