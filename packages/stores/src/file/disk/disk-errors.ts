import { RepriseError, toRepriseError } from "@reprise/contracts";

/** What the system says when there is no more space, on the disk or for this user. */
const FULL: readonly string[] = ["ENOSPC", "EDQUOT"];

/** What the file system threw, as one of our errors. */
export function fromDiskError(thrown: unknown): RepriseError {
  if (RepriseError.is(thrown)) return thrown;
  const code = codeOf(thrown);
  if (code === undefined) return toRepriseError(thrown);
  if (FULL.includes(code)) {
    const message = "The store's folder cannot grow: there is no space left.";
    return new RepriseError("STORAGE_FULL", message, { cause: thrown, details: { disk: code } });
  }
  const message = `The store's folder cannot be used: the file system says ${code}.`;
  return new RepriseError("STORE_UNAVAILABLE", message, { cause: thrown, details: { reason: "disk", disk: code } });
}

/** For a write that has happened, and may not survive. */
export function inDoubt(thrown: unknown): RepriseError {
  const { message, details } = fromDiskError(thrown);
  const text = `${message} Whether it was written is not known.`;
  return new RepriseError("STORE_UNAVAILABLE", text, { cause: thrown, details: { ...details, in_doubt: true } });
}

/** The system's own errors name the call that failed. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown) || !("syscall" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}
