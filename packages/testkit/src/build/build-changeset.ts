import { CHANGESET_FORMAT, type Changeset } from "@reprise/contracts";

/** A changeset that says nothing but what you give: `buildChangeset({ changeset_id: "c1", messages: [ … ] })`. */
export function buildChangeset(overrides: Partial<Changeset> = {}): Changeset {
  return {
    format: CHANGESET_FORMAT,
    changeset_id: "changeset-1",
    thread_id: "thread-1",
    run_id: null,
    reasons: ["external_patch"],
    messages: [],
    supersedes: [],
    patches: [],
    actions: [],
    runs: [],
    calls: [],
    events: [],
    consumed_decisions: [],
    mailbox_effects: [],
    blob_refs: [],
    ...overrides,
  };
}
