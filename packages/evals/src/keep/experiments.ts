import { type Documents, notFound, RepriseError } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { CaseResult, Experiment } from "../evaluate/experiment.ts";
import { plain, shortenResult } from "./shorten-result.ts";

/** An experiment without its cases. */
export interface ExperimentSummary extends Omit<Experiment, "cases"> {
  readonly case_count: number;
  /** Of every run that was played. What came from a recording counts as it was recorded. */
  readonly cost_microcents: number;
}

/** A part of a list. */
export interface ExperimentPage {
  readonly items: readonly ExperimentSummary[];
  /** What to continue after; absent when there are no more. */
  readonly next?: string;
}

export interface ExperimentListOptions {
  /** The `next` of the page before, or the cursor of any experiment. */
  readonly after?: string;
  readonly limit?: number;
}

/** Summaries, in the order in which they are listed. */
const LISTED = "eval.listed";
/** By the id of an experiment: where its summary is, and how many cases it has. */
const EXPERIMENTS = "eval.experiments";
const RESULTS = "eval.results";

interface Kept {
  readonly listed_as: string;
  readonly case_count: number;
}

/** Keeps an experiment in a store, for the studio and the API. */
export async function keepExperiment(documents: Documents, experiment: Experiment): Promise<void> {
  const { cases, ...head } = experiment;
  const summary: ExperimentSummary = { ...head, case_count: cases.length, cost_microcents: costOf(cases) };
  const kept: Kept = { listed_as: cursorOf(summary), case_count: cases.length };
  // Found by its id before anything else is written, so that whatever a crash leaves can be deleted; listed when it is whole.
  await save(documents, EXPERIMENTS, experiment.id, plain(kept));
  for (const [index, result] of cases.entries())
    await save(documents, RESULTS, resultId(experiment.id, index), shortenResult(result));
  await save(documents, LISTED, kept.listed_as, plain(summary));
}

/** The newest first. */
export async function listExperiments(
  documents: Documents,
  { after, limit }: ExperimentListOptions = {},
): Promise<ExperimentPage> {
  const query = { kind: LISTED, ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) };
  const { items, next } = await documents.listDocuments(query);
  // Written by `keepExperiment`.
  const summaries = items.map(({ body }) => body as unknown as ExperimentSummary);
  return { items: summaries, ...(next !== undefined && { next }) };
}

/** Where a list continues behind an experiment. Documents are listed by their ids, so the newest has the lowest. */
export function cursorOf({ id, started_at }: Pick<Experiment, "id" | "started_at">): string {
  return `${String(Number.MAX_SAFE_INTEGER - started_at).padStart(16, "0")}.${id}`;
}

/** An experiment without its cases; `EVAL_NOT_FOUND`. */
export async function loadExperimentSummary(documents: Documents, id: string): Promise<ExperimentSummary> {
  const kept = await loadKept(documents, id);
  const found = kept && (await documents.loadDocument(LISTED, kept.listed_as));
  if (found === undefined) throw notFound("EVAL_NOT_FOUND", "experiment", id);
  return found.body as unknown as ExperimentSummary;
}

/** Some cases of an experiment, in its order, from the one at `offset`. */
export async function listCaseResults(
  documents: Documents,
  id: string,
  { offset = 0, limit }: { readonly offset?: number; readonly limit?: number } = {},
): Promise<readonly CaseResult[]> {
  const after = resultId(id, offset - 1);
  const { items } = await documents.listDocuments({ kind: RESULTS, after, ...(limit !== undefined && { limit }) });
  // Behind the last case come those of other experiments.
  const own = items.filter((item, index) => item.id === resultId(id, offset + index));
  return own.map(({ body }) => body as unknown as CaseResult);
}

/** All cases of an experiment, read as far as they are asked for. */
export async function* readCaseResults(documents: Documents, id: string): AsyncGenerator<CaseResult, undefined> {
  const { case_count } = await loadExperimentSummary(documents, id);
  for (let offset = 0; offset < case_count; ) {
    const results = await listCaseResults(documents, id, { offset });
    if (results.length === 0) return;
    yield* results;
    offset += results.length;
  }
}

/** An experiment with its cases; `EVAL_NOT_FOUND`. */
export async function loadExperiment(documents: Documents, id: string): Promise<Experiment> {
  const { case_count: _count, cost_microcents: _cost, ...head } = await loadExperimentSummary(documents, id);
  const cases: CaseResult[] = [];
  for await (const result of readCaseResults(documents, id)) cases.push(result);
  return { ...head, cases };
}

/** Deletes an experiment with its cases; `EVAL_NOT_FOUND`. After a crash in the middle it is no longer listed, and can be deleted again. */
export async function deleteExperiment(documents: Documents, id: string): Promise<void> {
  const kept = await loadKept(documents, id);
  if (kept === undefined) throw notFound("EVAL_NOT_FOUND", "experiment", id);
  await documents.deleteDocument(LISTED, kept.listed_as);
  for (let index = 0; index < kept.case_count; index += 1) await documents.deleteDocument(RESULTS, resultId(id, index));
  await documents.deleteDocument(EXPERIMENTS, id);
}

async function loadKept(documents: Documents, id: string): Promise<Kept | undefined> {
  const found = await documents.loadDocument(EXPERIMENTS, id);
  // Written by `keepExperiment`.
  return found?.body as unknown as Kept | undefined;
}

function costOf(cases: readonly CaseResult[]): number {
  const runs = cases.flatMap(({ trials }) => trials.map(({ run }) => run?.cost_microcents ?? 0));
  return runs.reduce((sum, cost) => sum + cost, 0);
}

/** Numbered from 1, so that a list begins behind 0. */
function resultId(experimentId: string, index: number): string {
  return `${experimentId}.${String(index + 1).padStart(6, "0")}`;
}

async function save(documents: Documents, kind: string, id: string, body: Json): Promise<void> {
  const { saved } = await documents.saveDocument({ kind, id, body }, 0);
  if (!saved) throw new RepriseError("INTERNAL", `An experiment with the id ${id} was kept before.`);
}
