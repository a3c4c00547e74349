import { applyPatches, deepEqual, getAt, type Json } from "@reprise/state";
import type { StoredChangeset } from "./invariants.ts";
import type { World } from "./world.ts";

/** What tools must have written to a thread by some version. */
interface Expected {
  readonly ledger: readonly string[];
  readonly runLedger: readonly string[];
  readonly voters: readonly string[];
  /** How long the ledger was when a call was last committed as running, by call. */
  readonly begun: ReadonlyMap<string, number>;
}

/**
 * The oracle of what tools write: a list grows by every call that ran and succeeded, in the order of their ends, and by
 * nothing else; a set that merges grows by every call, also by those that overlapped; a rollback takes away what the run it
 * undoes wrote. Compared at every version.
 */
export async function findLedgerProblems(
  world: World,
  threadId: string,
  changesets: readonly StoredChangeset[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  let expected: Expected = { ledger: [], runLedger: [], voters: [], begun: new Map() };
  let document: Json = {};
  for (const changeset of changesets) {
    expected = await expectAfter(world, changeset, expected, problems);
    document = applyPatches(document, changeset.patches);
    const actual = {
      ledger: getAt(document, ["ledger"]) ?? [],
      runLedger: getAt(document, ["run_ledger"]) ?? [],
      voters: sorted(getAt(document, ["votes", "voters"])),
    };
    const { ledger, runLedger, voters } = expected;
    const wanted = { ledger: [...ledger], runLedger: [...runLedger], voters: voters.toSorted() };
    if (!deepEqual(actual, wanted)) {
      const detail = `${JSON.stringify(actual)}, expected ${JSON.stringify(wanted)}`;
      return [...problems, `thread ${threadId} at version ${changeset.version} (${changeset.reasons}) has ${detail}`];
    }
  }
  return problems;
}

/** A set has no order of its own. */
function sorted(value: Json | undefined): Json {
  return Array.isArray(value) ? value.toSorted() : [];
}

async function expectAfter(
  world: World,
  { version, reasons, run_id, events, calls }: StoredChangeset,
  before: Expected,
  problems: string[],
): Promise<Expected> {
  let { ledger, runLedger, voters } = before;
  if (reasons.includes("rollback")) {
    const { items } = await world.tenant.listEntries({ run_id: run_id ?? "" });
    const undone = items.find(({ kind }) => kind === "run")?.rolls_back;
    ledger = ledger.filter((entry) => !entry.startsWith(`${undone}-`));
    voters = voters.filter((entry) => !entry.startsWith(`${undone}-`));
  }
  // What is a run's own is gone when the next one begins.
  if (events.some(({ type, seq, run_id: id }) => type === "run_start" && seq === 1 && id === run_id)) runLedger = [];
  for (const event of events) {
    if (event.type !== "tool_call_done") continue;
    const { id, outcome, result } = event.data;
    const isOwnSuspension =
      outcome === "suspended" && event.data.suspended?.ticket.suspension.action.startsWith("tool:");
    if (isOwnSuspension === true) ledger = [...ledger, `${id}:pending`];
    if (outcome === "succeeded" && getAt(result.data, ["voted"]) === true) voters = [...voters, id];
    const seen = getAt(result.data, ["seen"]);
    if (outcome !== "succeeded" || seen === undefined) continue;
    const isWriter = getAt(result.data, ["ran"]) === true;
    // A writer sees what stands when its own is added. A reader may overlap with one, and sees what stood when it began.
    const earliest = isWriter ? ledger.length : (before.begun.get(id) ?? 0);
    if (typeof seen !== "number" || seen < earliest || seen > ledger.length)
      problems.push(`call ${id} saw ${seen} entries at version ${version}, not ${earliest} to ${ledger.length}`);
    if (!isWriter) continue;
    ledger = [...ledger, id];
    runLedger = [...runLedger, id];
  }
  const begun = new Map(before.begun);
  for (const { call_id, status } of calls) if (status === "running") begun.set(call_id, ledger.length);
  return { ledger, runLedger, voters, begun };
}
