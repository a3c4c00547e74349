import { expect, it } from "vitest";
import type { SqlRow } from "./statement.ts";
import { ThreadPoll } from "./thread-poll.ts";

const THREAD: SqlRow = {
  tenant: "t",
  thread_id: "one",
  version: 1,
  arrivals: 1,
  open_run_id: "r",
  claim_owner: "owner",
};

/** A poll that finds these threads, look by look; returns the kinds of signals of each look. */
async function lookAt(...looks: readonly (readonly SqlRow[])[]): Promise<readonly (readonly string[])[]> {
  const rest = [...looks];
  const poll = new ThreadPoll(async () => [rest.shift() ?? []]);
  const kinds: string[][] = [];
  for (const _ of looks) kinds.push((await poll.look()).map(({ kind, run_id }) => `${kind} ${run_id ?? ""}`.trim()));
  return kinds;
}

it("tells of everything at the first look, and of nothing when nothing changed", async () => {
  expect(await lookAt([THREAD], [THREAD])).toEqual([["commit r", "inbox r"], []]);
});

it("tells of commits, of what came, of threads that became free, and of those that are done", async () => {
  const looks = [
    [THREAD],
    [{ ...THREAD, version: 2 }],
    [{ ...THREAD, version: 2, arrivals: 2 }],
    [{ ...THREAD, version: 2, arrivals: 2, claim_owner: null }],
    [],
  ];
  expect(await lookAt(...looks)).toEqual([["commit r", "inbox r"], ["commit r"], ["inbox r"], ["work"], ["commit r"]]);
});

it("tells of work that came to a thread that no worker holds", async () => {
  const idle = { ...THREAD, open_run_id: null, claim_owner: null };
  expect(await lookAt([], [idle], [{ ...idle, arrivals: 2 }])).toEqual([
    [],
    ["commit", "inbox", "work"],
    ["inbox", "work"],
  ]);
});
