import type { ModelMessageShape } from "../../ledger/ledger-line.ts";
import type { History, ThreadHistory, Violation } from "../history.ts";

/** I9: whenever a model is asked, each call it made before has exactly one result, right behind it. */
export function findDanglingCalls({ models, threads }: History): readonly Violation[] {
  const asked = models.flatMap(({ script, step, messages }) =>
    problemsOf(messages).map((problem): Violation => {
      return { invariant: "I9", run_id: script, message: `Before step ${step + 1} of the script: ${problem}` };
    }),
  );
  return [...asked, ...threads.flatMap(checkStored)];
}

function problemsOf(messages: readonly ModelMessageShape[]): readonly string[] {
  const problems: string[] = [];
  let open = new Set<string>();
  const close = (): void => {
    for (const call of open) problems.push(`call ${call} has no result`);
    open = new Set();
  };
  for (const { role, id, calls = [], answers } of messages) {
    if (role === "tool") {
      if (answers === undefined || !open.delete(answers)) problems.push(`result ${id} answers no open call`);
      continue;
    }
    close();
    open = new Set(calls);
  }
  close();
  return problems;
}

/** A thread without an open run has a result for every call, and one only. */
function checkStored({ thread, messages, runs }: ThreadHistory): readonly Violation[] {
  if (runs.some(({ run }) => run.status !== "done")) return [];
  const answers = new Map<string, number>();
  for (const { tool_call_id } of messages) {
    if (tool_call_id !== undefined) answers.set(tool_call_id, (answers.get(tool_call_id) ?? 0) + 1);
  }
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  return calls
    .filter((call) => answers.get(call) !== 1)
    .map((call): Violation => {
      const message = `Call ${call} has ${answers.get(call) ?? 0} results.`;
      return { invariant: "I9", thread_id: thread.thread_id, message };
    });
}
