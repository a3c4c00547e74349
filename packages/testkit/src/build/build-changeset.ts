import { type Changeset, emptyChangeset } from "@reprise/contracts";

/** A changeset that says nothing but what you give: `buildChangeset({ changeset_id: "c1", messages: [ … ] })`. */
export function buildChangeset(overrides: Partial<Changeset> = {}): Changeset {
  return { ...emptyChangeset("thread-1", null, "changeset-1"), reasons: ["external_patch"], ...overrides };
}
