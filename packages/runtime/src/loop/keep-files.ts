import { blobRefOf, type FilePart, ModelError, parseDataUrl } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { RunWorkspace } from "./run-workspace.ts";

/**
 * Puts what a model made into the blob store and names it there: a thread holds no bytes. What lies somewhere on the web stays
 * where it is.
 */
export async function keepFiles(
  workspace: RunWorkspace,
  stepId: string,
  files: readonly FilePart[],
): Promise<readonly FilePart[]> {
  // Parts are made of JSON; their interface hides it.
  const encode = (parts: readonly FilePart[]): Json => parts as unknown as Json;
  const kept = await workspace.effects.perform({ kind: "files", of: stepId, encode }, () => putFiles(workspace, files));
  // Media is in the blob store already.
  workspace.refersTo(kept.map(({ url }) => blobRefOf(url)).filter((ref) => ref.startsWith("blob:")));
  return kept;
}

async function putFiles({ services, claim }: RunWorkspace, files: readonly FilePart[]): Promise<readonly FilePart[]> {
  const kept: FilePart[] = [];
  for (const file of files) {
    const { media_type } = file;
    const info = media_type === undefined ? {} : { media_type };
    if (!file.url.startsWith("data:")) kept.push(file);
    else kept.push({ ...file, url: (await services.blobs.put(claim.tenant, bytesOf(file.url), info)).ref });
  }
  return kept;
}

/** The bytes of a `data:` URL. */
function bytesOf(url: string): Uint8Array {
  try {
    const { isBase64, body } = parseDataUrl(url) ?? { isBase64: false, body: url };
    if (!isBase64) return new TextEncoder().encode(decodeURIComponent(body));
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new ModelError("malformed_response", "The model made a file that cannot be read.", { cause });
  }
}
