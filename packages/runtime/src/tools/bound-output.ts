import { type BlobInfo, RepriseError, type ToolResult } from "@reprise/contracts";
import type { Host, RunView } from "../run/ports.ts";
import type { Gathered } from "./tool-context.ts";

const PREVIEW_CHARACTERS = 2_000;

/** Keeps a large output out of the thread: the model gets a preview, the whole goes to the blob store. */
export async function boundOutput(
  workspace: Pick<RunView, "claim"> & Host,
  result: ToolResult,
  { blobs: refs }: Gathered,
): Promise<ToolResult> {
  const { blobs, limits } = workspace.services;
  const text = JSON.stringify(result.data);
  // A character is at most three bytes of UTF-8, so short texts need not be measured.
  if (text.length * 3 <= limits.maxOutputBytes) return result;
  const content = new TextEncoder().encode(text);
  if (content.byteLength <= limits.maxOutputBytes) return result;
  const ref = await keep(() => blobs.put(workspace.claim.tenant, content, { media_type: "application/json" }));
  if (ref !== undefined) refs.push(ref);
  const preview = text.slice(0, PREVIEW_CHARACTERS).toWellFormed();
  return {
    ...result,
    data: { truncated: true, bytes: content.byteLength, preview, ...(ref !== undefined && { ref }) },
  };
}

/** The call has had its effect. When its tenant has no space left, the preview has to do: a failure would have it made again. */
async function keep(put: () => Promise<BlobInfo>): Promise<string | undefined> {
  try {
    return (await put()).ref;
  } catch (error) {
    if (RepriseError.is(error, "BLOB_QUOTA_EXCEEDED")) return undefined;
    throw error;
  }
}
