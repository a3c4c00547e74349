import type { Documents } from "@reprise/contracts";
import { createMemoryStore } from "@reprise/stores/memory";
import { expect, it } from "vitest";
import {
  type CaseResult,
  compareExperiments,
  deleteExperiment,
  type Experiment,
  keepExperiment,
  listExperiments,
  loadExperiment,
  runExperiment,
} from "../src/index.ts";
import { env, makeCase, shopAgent } from "./support/shop.ts";

function openDocuments(): Documents {
  return createMemoryStore({ clock: env.clock }).forTenant("t");
}

const played = async (count: number): Promise<Experiment> => {
  const evalCase = await makeCase();
  const cases = Array.from({ length: count }, (_, index) => ({ ...evalCase, id: `case-${index}` }));
  return runExperiment(cases, { mode: "rescript", definitions: { agents: [shopAgent()] }, env });
};

it("lists experiments page by page, the newest first, also those that began at the same time", async () => {
  const documents = openDocuments();
  const experiment = await played(1);
  const times = [1_000, 3_000, 2_000, 3_000, 9_999_999_999_999];
  for (const [index, started_at] of times.entries())
    await keepExperiment(documents, { ...experiment, id: `e${index}`, started_at });

  const pages: (readonly string[])[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await listExperiments(documents, { limit: 2, ...(after !== undefined && { after }) });
    pages.push(items.map(({ id }) => id));
    if (next === undefined) break;
    after = next;
  }
  expect(pages).toEqual([["e4", "e1"], ["e3", "e2"], ["e0"]]);
});

it("loads an experiment as it was kept, however many cases it has, and says in the list what they came to", async () => {
  const documents = openDocuments();
  // More than stores list at once.
  const experiment = await played(60);
  await keepExperiment(documents, experiment);
  // Its neighbours have ids that begin like its own.
  await keepExperiment(documents, { ...experiment, id: `${experiment.id}.0` });
  await keepExperiment(documents, { ...experiment, id: `${experiment.id}-0` });
  expect(await loadExperiment(documents, experiment.id)).toEqual(experiment);

  const { cases, ...head } = experiment;
  const cost_microcents = cases.reduce((sum, { metrics }) => sum + metrics.cost_microcents, 0);
  const { items } = await listExperiments(documents);
  expect(items).toContainEqual({ ...head, case_count: 60, cost_microcents });
});

it("deletes an experiment whole, and an interrupted deletion can be repeated", async () => {
  const documents = openDocuments();
  const [experiment, other] = [await played(2), await played(1)];
  await keepExperiment(documents, experiment);
  await keepExperiment(documents, other);
  let left = 2;
  const dying: Documents = {
    loadDocument: (...given) => documents.loadDocument(...given),
    saveDocument: (...given) => documents.saveDocument(...given),
    listDocuments: (query) => documents.listDocuments(query),
    deleteDocument: (...given) => {
      if (left-- === 0) throw new Error("The process died.");
      return documents.deleteDocument(...given);
    },
  };
  await expect(deleteExperiment(dying, experiment.id)).rejects.toThrow("The process died.");
  expect((await listExperiments(documents)).items.map(({ id }) => id)).toEqual([other.id]);

  await deleteExperiment(documents, experiment.id);
  await expect(loadExperiment(documents, experiment.id)).rejects.toMatchObject({ code: "EVAL_NOT_FOUND" });
  await expect(deleteExperiment(documents, experiment.id)).rejects.toMatchObject({ code: "EVAL_NOT_FOUND" });
  const results = await documents.listDocuments({ kind: "eval.results" });
  expect(results.items).toHaveLength(1);
  expect(await loadExperiment(documents, other.id)).toEqual(other);
});

it("compares cases by their verdict, then by how many trials passed, and says what failed before what warned", async () => {
  const documents = openDocuments();
  const experiment = await played(3);
  const change = (id: string, change: (result: CaseResult) => CaseResult): CaseResult => {
    const found = experiment.cases.find((result) => result.id === id);
    if (found === undefined) throw new Error(`There is no case ${id}.`);
    return change(found);
  };
  const rarer = change("case-0", (result) => ({ ...result, metrics: { ...result.metrics, pass_rate: 0.5 } }));
  const failing = change("case-1", (result) => ({
    ...result,
    verdict: "failed",
    regressions: [{ metric: "tokens", baseline: 100, actual: 300, verdict: "warned" }],
    trials: result.trials.flatMap((trial) => {
      const checks = [{ name: "tools", verdict: "failed" as const, message: "Another call.", expected: 1, actual: 2 }];
      return [
        { ...trial, checks },
        { ...trial, checks },
      ];
    }),
  }));
  const untouched = change("case-2", (result) => result);
  await keepExperiment(documents, { ...experiment, id: "before" });
  await keepExperiment(documents, { ...experiment, id: "after", cases: [untouched, rarer, failing] });

  const compared = await compareExperiments(documents, "before", "after");
  expect(compared.cases.map(({ id, change }) => [id, change])).toEqual([
    ["case-0", "worse"],
    ["case-1", "worse"],
    ["case-2", "same"],
  ]);
  // Once for both trials, and without the values.
  expect(compared.cases[1]?.after?.problems).toEqual([
    { name: "tools", verdict: "failed", message: "Another call." },
    { name: "baseline tokens", verdict: "warned", message: "100 before, 300 now" },
  ]);
  const back = await compareExperiments(documents, "after", "before");
  expect(back.totals).toEqual({ worse: 0, removed: 0, better: 2, added: 0, same: 1 });
  await expect(compareExperiments(documents, "before", "none")).rejects.toMatchObject({ code: "EVAL_NOT_FOUND" });
});
