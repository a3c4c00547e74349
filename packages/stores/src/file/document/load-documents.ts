import type { Disk } from "../disk/disk.ts";
import { hasCode } from "../disk/disk.ts";
import { documentName, isDocumentName } from "../disk/file-names.ts";
import { decodeDocument } from "./document-file.ts";
import type { DocumentFolder } from "./document-folder.ts";
import { MARK_FILE } from "./revision-mark.ts";

/** Reads what documents there are when the folder is opened. */
export async function loadDocuments(disk: Disk, folder: DocumentFolder): Promise<void> {
  const items = await disk.list(folder.path);
  const loading = items.map(async ({ name, isFile }) => {
    if (name === MARK_FILE) folder.revisions.take(await folder.readFile(name));
    else if (isDocumentName(name)) await loadDocument(folder, name, isFile);
  });
  // All of them finish before a failure is reported: no reader continues in a folder that was given up.
  await Promise.allSettled(loading);
  await Promise.all(loading);
}

async function loadDocument(folder: DocumentFolder, name: string, isFile: boolean): Promise<void> {
  const decoded = isFile ? decodeDocument(await readUnlessLink(folder, name)) : undefined;
  // A file with the name of another document was put there by hand or by another program.
  if (decoded === undefined || documentName(decoded.head) !== name) folder.unreadable.add(name);
  else {
    folder.index.put(decoded.head);
    folder.revisions.pass(decoded.head.revision);
  }
}

/** A link may lead anywhere, and has nothing in it for us. */
async function readUnlessLink(folder: DocumentFolder, name: string): Promise<Buffer> {
  try {
    return await folder.readFile(name);
  } catch (error) {
    if (hasCode(error, "ELOOP")) return Buffer.alloc(0);
    throw error;
  }
}
