import type { StoredChangeset } from "@reprise/contracts";

/** A version of a thread for a client that looks back: what it changed, when, and how its run stood then. */
export function encodeVersion(changeset: StoredChangeset): object {
  const { run_id, runs, events, patches } = changeset;
  const run = runs.find((each) => each.run_id === run_id);
  const timestamp = events.at(-1)?.timestamp_ms ?? run?.updated_at ?? patches.at(-1)?.timestamp_ms;
  return {
    version: changeset.version,
    changeset_id: changeset.changeset_id,
    run_id,
    reasons: changeset.reasons,
    message_ids: changeset.messages.map(({ id }) => id),
    supersedes: changeset.supersedes,
    patches,
    actions: changeset.actions,
    calls: changeset.calls.map(({ call_id, run_id: owner, tool_id, status, arguments: input, updated_at }) => ({
      call_id,
      run_id: owner,
      tool_id,
      status,
      arguments: input,
      updated_at,
    })),
    ...(timestamp !== undefined && { timestamp_ms: timestamp }),
    ...(run !== undefined && {
      run: {
        status: run.status,
        steps: run.steps,
        last_seq: run.last_seq,
        input_tokens: run.input_tokens,
        output_tokens: run.output_tokens,
        cost_microcents: run.cost_microcents ?? 0,
      },
    }),
  };
}
