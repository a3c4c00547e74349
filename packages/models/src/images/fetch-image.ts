import { ModelError } from "@reprise/contracts";
import { type Speaker, sayFailure } from "../failure/failed-answer.ts";
import { thrownFailure } from "../failure/thrown-failure.ts";

/** Gets a picture from where the server put it. No key goes along, and no redirect is followed: the address is all there is to trust. */
export async function fetchImage(
  speaker: Speaker,
  url: string,
  { fetch: send, signal }: { readonly fetch: typeof fetch; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  if (!/^https?:/i.test(url)) throw notThere(speaker, undefined);
  try {
    const response = await send(url, { redirect: "manual", signal });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    await response.body?.cancel();
    throw notThere(speaker, response.status);
  } catch (error) {
    throw thrownFailure(speaker, error, true, signal);
  }
}

/** The address itself is not repeated: it may be signed. */
function notThere({ model }: Speaker, status: number | undefined): ModelError {
  const kind = status !== undefined && status >= 500 ? "server_error" : "malformed_response";
  return new ModelError(kind, sayFailure(model, kind, [status]), status === undefined ? {} : { status });
}
