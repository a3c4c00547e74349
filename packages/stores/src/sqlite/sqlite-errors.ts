import { RepriseError, toRepriseError } from "@reprise/contracts";

/** The primary result codes of SQLite that mean something to a caller. */
const FULL = 13;
const DAMAGED: readonly number[] = [11, 26];
const UNAVAILABLE: Readonly<Record<number, string>> = {
  5: "another connection has locked it",
  6: "it is locked",
  8: "it can only be read",
  10: "the disk failed",
  14: "it cannot be opened",
};

/** What SQLite threw, as one of our errors. */
export function fromSqliteError(thrown: unknown): RepriseError {
  if (RepriseError.is(thrown)) return thrown;
  if (isClosed(thrown)) return new RepriseError("STORE_UNAVAILABLE", "The store is closed.", { cause: thrown });
  const code = codeOf(thrown);
  if (code === undefined) return toRepriseError(thrown);
  if (code === FULL) {
    const message = "The SQLite file cannot grow: there is no space left.";
    return new RepriseError("STORAGE_FULL", message, { cause: thrown, details: { sqlite: code } });
  }
  const reason = UNAVAILABLE[code];
  if (reason !== undefined) return unavailable(reason, { reason: "sqlite", sqlite: code }, thrown);
  if (!DAMAGED.includes(code)) return toRepriseError(thrown);
  return new RepriseError("CORRUPT_DATA", "The SQLite file is damaged.", { cause: thrown, details: { sqlite: code } });
}

function unavailable(what: string, details: Readonly<Record<string, unknown>>, cause: unknown): RepriseError {
  return new RepriseError("STORE_UNAVAILABLE", `The SQLite file cannot be used: ${what}.`, { cause, details });
}

function isClosed(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ERR_INVALID_STATE";
}

/** The primary code; SQLite puts more detail into the higher bits. */
function codeOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("errcode" in thrown) || typeof thrown.errcode !== "number") return undefined;
  return thrown.errcode % 256;
}
