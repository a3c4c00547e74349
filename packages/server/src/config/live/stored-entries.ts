import type { Documents } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";

/** What can be changed while a server runs. */
export type ConfigKind = "agents" | "models" | "providers";

/** In the order in which they need each other. */
export const CONFIG_KINDS: readonly ConfigKind[] = ["providers", "models", "agents"];

/** An entry that lies over the file's, or beside them. */
export interface StoredEntry {
  readonly kind: ConfigKind;
  readonly id: string;
  readonly body: JsonObject;
  readonly revision: number;
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
export async function loadEntries(documents: Documents): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (const kind of CONFIG_KINDS) {
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const query = { kind: documentKind(kind), ...(after !== undefined && { after }) };
      const { items, next } = await documents.listDocuments(query);
      // Written by a live configuration alone, which stores objects.
      entries.push(
        ...items.map(({ id, body, revision }) => ({
          kind,
          id: decodeURIComponent(id),
          revision,
          body: body as JsonObject,
        })),
      );
      after = next;
    }
  }
  return entries;
}

export function isEntry({ kind, id }: StoredEntry, wantedKind: ConfigKind, wantedId: string): boolean {
  return kind === wantedKind && id === wantedId;
}
