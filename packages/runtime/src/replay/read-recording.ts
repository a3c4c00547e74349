import { CHANGESET_FORMAT } from "@reprise/contracts";
import { getAt, isJson, type Json } from "@reprise/state";
import { RECORDING_FORMAT, type RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";

type Shape = "text" | "number" | "list" | "object";

/** What a replay reaches for before it compares anything. The rest is only ever compared. */
const SHAPES: readonly (readonly [path: readonly string[], shape: Shape])[] = [
  [["tenant"], "text"],
  [["run", "run_id"], "text"],
  [["run", "thread_id"], "text"],
  [["run", "agent_id"], "text"],
  [["request", "agent_id"], "text"],
  [["request", "messages"], "list"],
  [["entry_id"], "text"],
  [["base", "version"], "number"],
  [["base", "messages"], "list"],
  [["base", "superseded"], "list"],
  [["base", "digest"], "text"],
  [["changesets"], "list"],
  [["texts"], "object"],
  [["digest"], "text"],
];

/** The lists every changeset has. */
const CHANGESET_LISTS = [
  "reasons",
  "messages",
  "supersedes",
  "patches",
  "actions",
  "runs",
  "calls",
  "events",
  "consumed_decisions",
  "mailbox_effects",
  "blob_refs",
] as const;

/** Refuses what is no exported run, before anything is done with it. */
export function readRecording(value: unknown): RunRecording {
  if (!isJson(value)) throw replayImpossible("of this value", "it is not made of JSON");
  const format = getAt(value, ["format"]);
  if (format !== RECORDING_FORMAT)
    throw replayImpossible("of this value", "it is no export of a run, or of another version");
  for (const [path, shape] of SHAPES) assertShape(value, path, shape);
  const changesets = getAt(value, ["changesets"]);
  for (const [index, changeset] of (Array.isArray(changesets) ? changesets : []).entries()) {
    // The one part of a changeset that its digest does not cover: it says how the others are to be read.
    if (getAt(changeset, ["format"]) !== CHANGESET_FORMAT)
      throw replayImpossible("of this value", `changesets[${index}] has a format of another version`);
    assertShape(changeset, ["version"], "number", index);
    assertShape(changeset, ["changeset_id"], "text", index);
    assertShape(changeset, ["digest"], "text", index);
    for (const list of CHANGESET_LISTS) assertShape(changeset, [list], "list", index);
  }
  // Looked at above, as far as anything depends on it; what is in the lists is compared with what the loop makes.
  return value as unknown as RunRecording;
}

function assertShape(value: Json, path: readonly string[], shape: Shape, index?: number): void {
  const found = getAt(value, path);
  if (found !== undefined && shapeOf(found) === shape) return;
  const where = index === undefined ? path.join(".") : `changesets[${index}].${path.join(".")}`;
  throw replayImpossible("of this value", `${where} is no ${shape}`);
}

function shapeOf(value: Json): Shape | undefined {
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "object" && value !== null ? "object" : undefined;
}
