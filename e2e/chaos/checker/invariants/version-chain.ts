import { applyPatches } from "@reprise/state";
import type { History, RunHistory, ThreadHistory, Violation } from "../history.ts";
import { eventsOf } from "../index-history.ts";
import { isSameJson } from "../same-json.ts";

/** I2: versions follow each other without gap, no changeset is there twice, and everything derived from them agrees with them. */
export function findBrokenChains({ threads }: History): readonly Violation[] {
  return threads.flatMap((thread) => {
    const problems = [
      ...checkVersions(thread),
      ...checkState(thread),
      ...checkMessages(thread),
      ...thread.runs.flatMap((run) => checkRun(thread, run)),
    ];
    const { thread_id } = thread.thread;
    return problems.map((message): Violation => ({ invariant: "I2", thread_id, message }));
  });
}

function checkVersions({ thread, changesets }: ThreadHistory): readonly string[] {
  const ids = changesets.map(({ changeset_id }) => changeset_id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  const versions = changesets.map(({ version }) => version);
  const isChain = versions.every((version, index) => version === index + 1);
  return [
    ...twice.map((id) => `Changeset ${id} is there twice.`),
    ...(isChain ? [] : [`The versions are not 1 to ${versions.length}: ${versions.join(", ")}.`]),
    ...(thread.version === versions.length ? [] : [`It says version ${thread.version} and has ${versions.length}.`]),
  ];
}

function checkState({ changesets, snapshot, state }: ThreadHistory): readonly string[] {
  const foldTo = (last: number) =>
    applyPatches(
      {},
      changesets.filter(({ version }) => version <= last).flatMap(({ patches }) => patches),
    );
  const problems: string[] = [];
  if (!isSameJson(foldTo(changesets.length), state)) problems.push("The state is not what its patches make.");
  if (snapshot !== undefined && !isSameJson(foldTo(snapshot.version), snapshot.state)) {
    problems.push(`The snapshot of version ${snapshot.version} is not what the patches make.`);
  }
  return problems;
}

function checkMessages({ changesets, messages }: ThreadHistory): readonly string[] {
  const brought = changesets.flatMap((changeset) => changeset.messages);
  const ids = messages.map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [
    ...twice.map((id) => `Message ${id} is there twice.`),
    ...(isSameJson(brought, messages) ? [] : ["The messages are not those its changesets brought."]),
  ];
}

/** Rows are indexes: what they say must be what the last changeset said. */
function checkRun({ changesets }: ThreadHistory, history: RunHistory): readonly string[] {
  const { run, calls } = history;
  const { run_id } = run;
  const problems: string[] = [];
  const events = changesets.flatMap((changeset) => changeset.events).filter((event) => event.run_id === run_id);
  if (!isSameJson(events, eventsOf(history)))
    problems.push(`The events of run ${run_id} are not those of its changesets.`);
  if (run.last_seq !== events.length)
    problems.push(`Run ${run_id} says ${run.last_seq} events and has ${events.length}.`);
  const row = changesets.flatMap(({ runs }) => runs).findLast((item) => item.run_id === run_id);
  if (row?.status !== run.status || row.termination_code !== run.termination_code) {
    problems.push(`Run ${run_id} is ${run.status}; its last changeset says ${row?.status}.`);
  }
  for (const call of calls) {
    const last = changesets.flatMap((changeset) => changeset.calls).findLast(({ call_id }) => call_id === call.call_id);
    if (last?.status === call.status && last.suspension === call.suspension) continue;
    problems.push(`Call ${call.call_id} is ${call.status}; its last changeset says ${last?.status}.`);
  }
  return problems;
}
