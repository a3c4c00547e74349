import { notFound, RepriseError } from "@reprise/contracts";
import { isPlainObject, type Shape, type ShapePath, toStoredNames } from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";
import { attempt, type ConfigProblem, configInvalid, problemAt } from "../config-problem.ts";
import { providerShape } from "../config-shape.ts";
import { agentEntry, modelEntry } from "../entry-shapes.ts";
import { REDACTED } from "../secrets.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { takeTurn } from "./config-turn.ts";
import { recordChange } from "./entry-history.ts";
import type { ChangeOptions } from "./live-config.ts";
import { entryOf, overlay, pathOf } from "./overlay.ts";
import { holdsSecrets } from "./seal-entry.ts";
import { type ConfigKind, documentName, isEntry, type StoredEntry } from "./stored-entries.ts";

const ENTRY_SHAPES: { readonly [Kind in ConfigKind]: Shape<unknown> } = {
  agents: agentEntry,
  models: modelEntry,
  providers: providerShape,
};

/** What is to be changed. */
export interface EntryChange extends ChangeOptions {
  readonly kind: ConfigKind;
  readonly id: string;
}

/** Stores an entry, if the whole configuration is right with it. */
export async function putEntry(config: ConfigInForce, change: EntryChange, written: JsonObject): Promise<void> {
  const { kind, id } = change;
  // Renaming keys leaves an object an object.
  const given = toStoredNames(written, ENTRY_SHAPES[kind].schema) as JsonObject;
  const { id: _id, ...rest } = given;
  const body = kind === "agents" ? { id, ...rest } : given;
  await changeEntry(config, change, async (current) => {
    assertFits(config, change, { given, next: { kind, id, body, revision: 0 } });
    const { seal } = config.sealer;
    const stored = seal !== undefined && holdsSecrets(body) ? await seal({ kind, id }, body) : body;
    const document = { ...documentName(kind, id), body: stored };
    const saved = await config.documents.saveDocument(document, current?.revision ?? 0);
    if (!saved.saved) throw revisionConflict(change, saved.document?.revision ?? 0);
    await record(config, change, { action: "stored", revision: saved.document.revision, body: stored });
  });
}

/** Takes a stored entry away, if the whole configuration is right without it. */
export async function deleteEntry(config: ConfigInForce, change: EntryChange): Promise<void> {
  const { kind, id } = change;
  await changeEntry(config, change, async (current) => {
    if (current === undefined) throw notStored(config, change);
    assertFits(config, change);
    const name = documentName(kind, id);
    const isGone = await config.documents.deleteDocument(name.kind, name.id, current.revision);
    if (isGone) return record(config, change, { action: "deleted", revision: current.revision });
    const now = await config.documents.loadDocument(name.kind, name.id);
    throw revisionConflict(change, now?.revision ?? 0);
  });
}

/** Makes a change when it is this process's turn, and has it count before the turn is over. */
async function changeEntry(
  config: ConfigInForce,
  change: EntryChange,
  store: (current: StoredEntry | undefined) => Promise<void>,
): Promise<void> {
  const number = await takeTurn(config.documents, async () => {
    await config.load();
    const current = config.find(change.kind, change.id);
    const revision = current?.revision ?? 0;
    if ((change.ifRevision ?? revision) !== revision) throw revisionConflict(change, revision);
    await store(current);
    await config.load();
  });
  config.settle(number);
}

function record(
  config: ConfigInForce,
  { kind, id, by }: EntryChange,
  change: Pick<Parameters<typeof recordChange>[2], "action" | "revision" | "body">,
): Promise<void> {
  const at = config.now();
  return recordChange(config.documents, { kind, id }, { ...change, at, ...(by !== undefined && { by }) });
}

/** An entry as it was given, and as it would be stored. */
interface NewEntry {
  readonly given: JsonObject;
  readonly next: StoredEntry;
}

/** Refuses a change that would leave anything wrong. */
function assertFits(config: ConfigInForce, { kind, id }: EntryChange, added?: NewEntry): void {
  const others = config.fitted.entries.filter((entry) => !isEntry(entry, kind, id));
  const whole = overlay(config.base, added === undefined ? others : [...others, added.next]);
  const path = added === undefined ? [] : pathOf(whole, added.next);
  const own = added === undefined ? [] : findOwnProblems(added, path);
  if (added !== undefined && config.sealer.seal === undefined && holdsSecrets(added.next.body))
    own.push(unsealed(path));
  const problems = [...own, ...attempt(() => config.check(whole)).problems];
  if (problems.length > 0) throw configInvalid(problems);
}

/** The store may be read by more people than the server's configuration. */
function unsealed(path: ShapePath): ConfigProblem {
  const remedy = 'name it as { "kind": "env", "name": … }, or give the server a key (REPRISE_SECRET_KEY)';
  return problemAt(path, ` holds a secret, and this server has no key to store it with; ${remedy}`);
}

function findOwnProblems({ given, next: { kind, id } }: NewEntry, path: ShapePath): ConfigProblem[] {
  const isMisnamed = kind === "agents" && Object.hasOwn(given, "id") && given.id !== id;
  const misnamed = isMisnamed ? [problemAt([...path, "id"], ` is not ${JSON.stringify(id)}, as the address says`)] : [];
  return [...misnamed, ...findStandIns(given, path)];
}

/** What was read without its secrets and is written again would put the stand-ins in their place. */
function findStandIns(value: Json, path: ShapePath): readonly ConfigProblem[] {
  if (typeof value === "string") {
    return value.includes(REDACTED)
      ? [problemAt(path, " stands in for a secret that is not shown; give the secret")]
      : [];
  }
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => findStandIns(item, [...path, index]));
  if (!isPlainObject(value)) return [];
  // What is in JSON is JSON.
  return Object.entries(value as JsonObject).flatMap(([key, entry]) => findStandIns(entry, [...path, key]));
}

function revisionConflict({ kind, id, ifRevision }: EntryChange, revision: number): RepriseError {
  const message = `Cannot change ${JSON.stringify(id)} of ${kind} at revision ${ifRevision ?? "unknown"}: it is at ${revision}.`;
  return new RepriseError("REVISION_CONFLICT", message, { details: { kind, id, revision } });
}

function notStored({ base }: ConfigInForce, { kind, id }: EntryChange): RepriseError {
  if (entryOf(base, kind, id) === undefined) return notFound("CONFIG_NOT_FOUND", `entry of ${kind}`, id);
  const message = `Cannot delete ${JSON.stringify(id)} of ${kind}: it comes from the file, and nothing is stored over it.`;
  return new RepriseError("REVISION_CONFLICT", message, { details: { kind, id, revision: 0 } });
}
