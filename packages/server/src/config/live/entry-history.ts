import { type Documents, MAX_DOCUMENT_BYTES, type StoredDocument, toRepriseError } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { redact } from "../secrets.ts";
import type { EntryName, EntrySealer } from "./seal-entry.ts";
import { documentName } from "./stored-entries.ts";

/** A change of an entry, as it can be shown. */
export interface ConfigChange {
  readonly action: "stored" | "deleted";
  /** The revision that the change made; of a deletion, the one that it took away. */
  readonly revision: number;
  /** In the store's time. */
  readonly at: number;
  /** The credential that made it. Absent on a server without authentication. */
  readonly by?: string;
  /** What was stored, without secrets. Absent for a deletion, and for a body that this server's key does not open. */
  readonly body?: Json;
}

interface StoredChange extends Omit<ConfigChange, "body"> {
  /** As the entry was stored: sealed when it holds secrets. */
  readonly body?: JsonObject;
}

/** So many changes of an entry are kept. */
const MAX_CHANGES = 20;
/** Leaves room for what documents have around their bodies. */
const MAX_BYTES = MAX_DOCUMENT_BYTES - 1_024;

/** Adds a change to the history of its entry; the oldest ones make room. Called by the one process whose turn it is. */
export async function recordChange(documents: Documents, entry: EntryName, change: StoredChange): Promise<void> {
  const name = historyName(entry);
  const document = await documents.loadDocument(name.kind, name.id);
  const changes = [change, ...changesIn(document)].slice(0, MAX_CHANGES);
  while (changes.length > 1 && sizeOf(changes) > MAX_BYTES) changes.pop();
  // A change that fills a document by itself is known by its time and revision.
  const kept = sizeOf(changes) > MAX_BYTES ? changes.map(({ body: _, ...rest }) => rest) : changes;
  // Changes are JSON, which their interfaces hide from the compiler.
  await documents.saveDocument({ ...name, body: { changes: kept as unknown as Json } }, document?.revision ?? 0);
}

/** The changes of an entry, newest first. */
export async function loadHistory(
  documents: Documents,
  entry: EntryName,
  sealer: EntrySealer,
): Promise<readonly ConfigChange[]> {
  const name = historyName(entry);
  const changes = changesIn(await documents.loadDocument(name.kind, name.id));
  return Promise.all(
    changes.map(async ({ body, ...change }) => {
      if (body === undefined) return change;
      try {
        return { ...change, body: redact(await sealer.open(entry, body)) };
      } catch (error) {
        // Sealed with another key: that it was changed is still told.
        if (toRepriseError(error).code === "CONFIG_INVALID") return change;
        throw error;
      }
    }),
  );
}

function historyName({ kind, id }: EntryName): { readonly kind: string; readonly id: string } {
  return { kind: `config.history.${kind}`, id: documentName(kind, id).id };
}

function changesIn(document: StoredDocument | undefined): readonly StoredChange[] {
  // Written here alone.
  return (document?.body as { readonly changes?: readonly StoredChange[] } | undefined)?.changes ?? [];
}

function sizeOf(changes: readonly StoredChange[]): number {
  return new TextEncoder().encode(JSON.stringify(changes)).length;
}
