import type { RunRecord } from "@reprise/contracts";
import { asksClient, type OpenQuestion } from "@reprise/protocols/a2a";
import type { TenantRuntime } from "@reprise/runtime";
import { listBelow } from "../wire/runs-below.ts";

type Reading = Pick<TenantRuntime, "calls" | "runs">;

/** The open questions that keep a run from continuing: its own, and those of the runs below once none of them is at work. */
export async function loadQuestions(runtime: Reading, run: RunRecord): Promise<readonly OpenQuestion[]> {
  if (run.status !== "waiting") return [];
  const own = await questionsOf(runtime, run);
  const below = await loadQuestionsBelow(runtime, run);
  return own.length > 0 || below.isAtRest ? [...own, ...below.questions] : [];
}

/** The open questions of the runs below that a run waits for. */
export async function loadQuestionsBelow(
  runtime: Reading,
  run: RunRecord,
): Promise<{ readonly questions: readonly OpenQuestion[]; readonly isAtRest: boolean }> {
  const awaited = withoutAside(await listBelow(runtime, run)).filter(({ status }) => status !== "done");
  const questions = await Promise.all(awaited.map((each) => questionsOf(runtime, each)));
  const isAtRest = awaited.every(({ status, model_wait }) => status === "waiting" && model_wait === undefined);
  return { questions: questions.flat(), isAtRest };
}

/** No call waits for a run in the background, nor for those below it. */
function withoutAside(runs: readonly RunRecord[]): readonly RunRecord[] {
  const aside = new Set<string>();
  for (const { run_id, parent_run_id = "", background } of runs)
    if (background === true || aside.has(parent_run_id)) aside.add(run_id);
  return runs.filter(({ run_id }) => !aside.has(run_id));
}

async function questionsOf(runtime: Reading, { run_id, status }: RunRecord): Promise<readonly OpenQuestion[]> {
  if (status !== "waiting") return [];
  const { items } = await runtime.calls({ runId: run_id, status: "suspended" });
  return items.flatMap(({ call_id, ticket, suspension, binding_hash = "", expires_at }) =>
    ticket === undefined || !asksClient({ ticket })
      ? []
      : [{ id: call_id, ticket, suspension, binding_hash, ...(expires_at !== undefined && { expires_at }) }],
  );
}
