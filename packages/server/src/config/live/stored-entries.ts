import { type Documents, type StoredDocument, toRepriseError } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { EntrySealer } from "./seal-entry.ts";

/** What can be changed while a server runs. */
export type ConfigKind = "agents" | "models" | "providers";

/** In the order in which they need each other. */
const CONFIG_KINDS: readonly ConfigKind[] = ["providers", "models", "agents"];

/** An entry that lies over the file's, or beside them. */
export interface StoredEntry {
  readonly kind: ConfigKind;
  readonly id: string;
  readonly body: JsonObject;
  readonly revision: number;
  /** Why the body cannot be read; then it is empty. */
  readonly unreadable?: string;
}

/** The name of the document that holds an entry. Ids like `openai/gpt-5` are none that a document may have. */
export function documentName(kind: ConfigKind, id: string): { readonly kind: string; readonly id: string } {
  // Half a character cannot be written so, and no store would take it.
  return { kind: documentKind(kind), id: id.isWellFormed() ? encodeURIComponent(id) : id };
}

function documentKind(kind: ConfigKind): string {
  return `config.${kind}`;
}

/** Everything that is stored. */
export async function loadEntries(documents: Documents, sealer: EntrySealer): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (const kind of CONFIG_KINDS) {
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const query = { kind: documentKind(kind), ...(after !== undefined && { after }) };
      const { items, next } = await documents.listDocuments(query);
      entries.push(...(await Promise.all(items.map((item) => openEntry(kind, item, sealer)))));
      after = next;
    }
  }
  return entries;
}

async function openEntry(kind: ConfigKind, document: StoredDocument, sealer: EntrySealer): Promise<StoredEntry> {
  const { revision } = document;
  const name = { kind, id: decodeURIComponent(document.id) };
  try {
    // Written by a live configuration alone, which stores objects.
    return { ...name, revision, body: await sealer.open(name, document.body as JsonObject) };
  } catch (error) {
    return { ...name, revision, body: {}, unreadable: toRepriseError(error).message };
  }
}

export function isEntry({ kind, id }: StoredEntry, wantedKind: ConfigKind, wantedId: string): boolean {
  return kind === wantedKind && id === wantedId;
}
