import { type Documents, keptKind } from "@reprise/contracts";
import { type NotebookKey, notebookKey } from "./memory-settings.ts";
import { type Note, readNotebook } from "./notebook.ts";

/** Whose notes: those of a resource, or, without one, those that the tenant shares. */
export interface NotesOwner {
  readonly resourceId?: string;
  readonly namespace?: string;
}

/** Lists the notes of a resource outside of runs, for a page that shows users what agents keep about them: `listNotes(runtime.documents, …)`. */
export async function listNotes(documents: Documents, owner: NotesOwner): Promise<readonly Note[]> {
  const { kind, id } = keyOf(owner);
  return readNotebook((await documents.loadDocument(kind, id))?.body).notes;
}

/** Deletes all notes of a resource, for users who ask to be forgotten. True when there were any. */
export async function deleteNotes(documents: Documents, owner: NotesOwner): Promise<boolean> {
  const { kind, id } = keyOf(owner);
  return documents.deleteDocument(kind, id);
}

function keyOf({ resourceId, namespace }: NotesOwner): NotebookKey {
  const { kind, id } = notebookKey(resourceId, namespace);
  return { kind: keptKind(kind), id };
}
