import { blobRefOf, type FilePart, ModelError } from "@reprise/contracts";
import type { RunWorkspace } from "./run-workspace.ts";

/**
 * Puts what a model made into the blob store and names it there: a thread holds no bytes. What lies somewhere on the web stays
 * where it is.
 */
export async function keepFiles(workspace: RunWorkspace, files: readonly FilePart[]): Promise<readonly FilePart[]> {
  const { services, claim } = workspace;
  const kept: FilePart[] = [];
  for (const file of files) {
    if (!file.url.startsWith("data:")) {
      // Media is in the blob store already.
      if (file.url.startsWith("media:")) workspace.refersTo([blobRefOf(file.url)]);
      kept.push(file);
      continue;
    }
    const { media_type } = file;
    const info = media_type === undefined ? {} : { media_type };
    const { ref } = await services.blobs.put(claim.tenant, bytesOf(file.url), info);
    workspace.refersTo([ref]);
    kept.push({ ...file, url: ref });
  }
  return kept;
}

const DATA_URL = /^data:[^,]*?(;base64)?,/s;

/** The bytes of a `data:` URL. */
function bytesOf(url: string): Uint8Array {
  const [head = "", isBase64] = DATA_URL.exec(url) ?? [];
  const body = url.slice(head.length);
  try {
    if (isBase64 === undefined) return new TextEncoder().encode(decodeURIComponent(body));
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new ModelError("malformed_response", "The model made a file that cannot be read.", { cause });
  }
}
