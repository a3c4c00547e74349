import { RepriseError } from "@reprise/contracts";

/** How old a signed request may be, and how far ahead its clock. */
const SIGNATURE_WINDOW_MS = 300_000;

/** What a signed request says about itself. */
export interface SignedRequest {
  /** Seconds since 1970, as text. */
  readonly timestamp: string | undefined;
  /** `sha256=` and 64 hexadecimal digits: the HMAC of `<timestamp>.<body>`. */
  readonly signature: string | undefined;
  readonly body: string;
}

/** Checks a signed request; returns the digits of its signature. `WEBHOOK_REFUSED` without saying which of its parts is wrong. */
export async function checkSignature(
  { timestamp = "", signature = "", body }: SignedRequest,
  secret: string,
  now: number,
): Promise<string> {
  const [, digits] = /^sha256=([0-9a-f]{64})$/.exec(signature) ?? [];
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1_000 - now) <= SIGNATURE_WINDOW_MS;
  if (digits === undefined || !isRecent || !(await isSignedBy(secret, `${timestamp}.${body}`, digits))) throw refused();
  return digits;
}

export function refused(): RepriseError {
  return new RepriseError("WEBHOOK_REFUSED", "The webhook is not signed by the workflow's secret, or is too old.");
}

async function isSignedBy(secret: string, text: string, digits: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["verify"]);
  // Takes the same time whatever the digits are.
  return crypto.subtle.verify(
    "HMAC",
    key,
    Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
    encoder.encode(text),
  );
}
