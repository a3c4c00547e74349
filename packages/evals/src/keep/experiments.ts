import { type Documents, MAX_DOCUMENT_BYTES, notFound, RepriseError } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { CaseResult, Experiment } from "../evaluate/experiment.ts";

/** An experiment without what its cases came to. */
export type ExperimentSummary = Omit<Experiment, "cases"> & {
  readonly cases: readonly Pick<CaseResult, "id" | "agent_id" | "verdict" | "metrics">[];
};

const EXPERIMENTS = "eval.experiments";
const RESULTS = "eval.results";

/** Keeps an experiment in a store, for the studio and the API: a document for it, and one for each of its cases. */
export async function keepExperiment(documents: Documents, experiment: Experiment): Promise<void> {
  // The cases first: an experiment that is listed is there as a whole.
  for (const [index, result] of experiment.cases.entries()) {
    await save(documents, RESULTS, resultId(experiment.id, index), shorten(result));
  }
  const cases = experiment.cases.map(({ id, agent_id, verdict, metrics }) => ({ id, agent_id, verdict, metrics }));
  const summary: ExperimentSummary = { ...experiment, cases };
  await save(documents, EXPERIMENTS, experiment.id, plain(summary));
}

/** The newest first. */
export async function listExperiments(
  documents: Documents,
  { limit = 50 }: { readonly limit?: number } = {},
): Promise<readonly ExperimentSummary[]> {
  const all: ExperimentSummary[] = [];
  for (let after: string | undefined; ; ) {
    const page = await documents.listDocuments({ kind: EXPERIMENTS, ...(after !== undefined && { after }) });
    // Written by `keepExperiment`.
    all.push(...page.items.map(({ body }) => body as unknown as ExperimentSummary));
    if (page.next === undefined) break;
    after = page.next;
  }
  return all.sort((one, other) => other.started_at - one.started_at).slice(0, limit);
}

/** An experiment with its cases; `EVAL_NOT_FOUND`. */
export async function loadExperiment(documents: Documents, id: string): Promise<Experiment> {
  const found = await documents.loadDocument(EXPERIMENTS, id);
  if (found === undefined) throw notFound("EVAL_NOT_FOUND", "experiment", id);
  // Written by `keepExperiment`.
  const summary = found.body as unknown as ExperimentSummary;
  const cases: CaseResult[] = [];
  for (const index of summary.cases.keys()) {
    const result = await documents.loadDocument(RESULTS, resultId(id, index));
    if (result !== undefined) cases.push(result.body as unknown as CaseResult);
  }
  return { ...summary, cases };
}

export async function deleteExperiment(documents: Documents, id: string): Promise<void> {
  const { cases } = await loadExperiment(documents, id);
  await documents.deleteDocument(EXPERIMENTS, id);
  for (const index of cases.keys()) await documents.deleteDocument(RESULTS, resultId(id, index));
}

function resultId(experimentId: string, index: number): string {
  return `${experimentId}.${index}`;
}

async function save(documents: Documents, kind: string, id: string, body: Json): Promise<void> {
  const { saved } = await documents.saveDocument({ kind, id, body }, 0);
  if (!saved) throw new RepriseError("INTERNAL", `An experiment with the id ${id} was kept before.`);
}

/** A document has a limit: what a person reads last goes first. */
function shorten(result: CaseResult): Json {
  const whole = plain(result);
  if (fits(whole)) return whole;
  const bare = result.trials.map(({ checks, notes, run, ...trial }) => ({
    ...trial,
    checks: checks.map(({ expected: _expected, actual: _actual, ...check }) => check),
    notes: notes.map(({ arguments: _arguments, ...note }) => note),
    ...(run !== undefined && {
      run: { ...run, output: null, calls: run.calls.map((call) => ({ ...call, arguments: null })), approvals: [] },
    }),
  }));
  for (let kept = bare.length; kept > 0; kept = Math.floor(kept / 2)) {
    const shorter = plain({ ...result, trials: bare.slice(0, kept) });
    if (fits(shorter)) return shorter;
  }
  return plain({ ...result, trials: [] });
}

function fits(value: Json): boolean {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength <= MAX_DOCUMENT_BYTES;
}

/** Results are JSON, which their interfaces hide. */
function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
