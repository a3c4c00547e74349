import { type MediaRequest, ModelError, RepriseError } from "@reprise/contracts";
import { type Speaker, sayFailure } from "../failure/failed-answer.ts";
import { ProviderSaid } from "../failure/provider-said.ts";
import { thrownFailure } from "../failure/thrown-failure.ts";
import { refuse } from "../request/model-options.ts";
import { typeByContent } from "./media-type.ts";

/** The largest picture that is taken. */
export const MAX_IMAGE_BYTES: number = 32 * 1024 * 1024;

/**
 * Gets a picture from the address that the server gives. This code opens nothing: the caller fetches and decides which addresses are allowed, and what is found
 * must say that it is a picture.
 */
export async function fetchImage(
  speaker: Speaker,
  url: string,
  { download, signal }: Pick<MediaRequest, "download" | "signal">,
  configured: string,
): Promise<Uint8Array> {
  if (download === undefined) {
    throw refuse(speaker.model, "its server names the picture by an address, and the request has no way to fetch one");
  }
  try {
    const { status, media_type, content } = await download(url, { maxBytes: MAX_IMAGE_BYTES, signal, configured });
    if (status < 200 || status > 299) throw notThere(speaker, status);
    // Files of object stores often have no type of their own: then the content has to say it.
    if (media_type?.startsWith("image/") || typeByContent(content) !== undefined) return content;
    throw notThere(speaker, undefined, `what lies there is ${media_type ?? "of no type"}, and no picture`);
  } catch (error) {
    if (RepriseError.is(error, "ADDRESS_REFUSED")) throw notThere(speaker, undefined, error.message);
    throw thrownFailure(speaker, error, true, signal);
  }
}

/** The address itself is not repeated: it may be signed. */
function notThere({ model }: Speaker, status: number | undefined, reason?: string): ModelError {
  const kind = status !== undefined && status >= 500 ? "server_error" : "malformed_response";
  return new ModelError(kind, sayFailure(model, kind, [status]), {
    ...(status !== undefined && { status }),
    ...(reason !== undefined && { cause: new ProviderSaid(reason) }),
  });
}
