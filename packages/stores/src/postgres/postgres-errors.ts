import { RepriseError, toRepriseError } from "@reprise/contracts";

/** Codes by which a server says that it is not there for us, by their class or as a whole. */
const UNAVAILABLE: Readonly<Record<string, readonly [reason: string, what: string]>> = {
  "08": ["connection", "the connection failed"],
  "28": ["denied", "the server does not let us in"],
  "3D000": ["no_database", "there is no such database"],
  "40": ["conflict", "others wrote the same rows again and again"],
  "25006": ["read_only", "the server only reads"],
  "42501": ["denied", "we may not use what is ours there"],
  "53300": ["too_many_connections", "the server has no connection left"],
  "53": ["resources", "the server has not enough memory"],
  "55P03": ["timeout", "a lock was not given in time"],
  "57014": ["timeout", "a statement took too long"],
  "57": ["shutdown", "the server is going down or coming up"],
  "58": ["server", "the server's disk failed"],
};

/** Its own error: it needs another remedy than those above. */
const STORAGE_FULL = "53100";

/** What the network says, by Node's codes. */
const NETWORK: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);

/** What `pg` throws beside errors of the server and of the network. */
const LOST = /connection terminated|connection error|timeout|client was closed|connection ended|server closed/i;

/** What Postgres or the way to it threw, as one of our errors. */
export function fromPostgresError(thrown: unknown): RepriseError {
  if (RepriseError.is(thrown)) return thrown;
  const code = codeOf(thrown);
  if (isConnectionLost(thrown) && UNAVAILABLE[code] === undefined) {
    return unavailable(["connection", "the connection failed"], code, thrown);
  }
  const known = code === STORAGE_FULL ? undefined : (UNAVAILABLE[code] ?? UNAVAILABLE[code.slice(0, 2)]);
  if (known !== undefined) return unavailable(known, code, thrown);
  const details = { postgres: code };
  if (code === STORAGE_FULL) {
    const message = "The Postgres database cannot grow: there is no space left.";
    return new RepriseError("STORAGE_FULL", message, { cause: thrown, details });
  }
  if (code === "54000") {
    const message = "Cannot store it: an id or a key in it is too long for an index of Postgres.";
    return new RepriseError("INVALID_REQUEST", message, { cause: thrown, details });
  }
  if (code.startsWith("XX0")) {
    return new RepriseError("CORRUPT_DATA", "The Postgres database is damaged.", { cause: thrown, details });
  }
  return toRepriseError(thrown);
}

/** Whether the connection is gone: nothing more is heard on it, also not whether a commit happened. */
export function isConnectionLost(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (code.startsWith("08") || code.startsWith("57P")) return true;
  if (NETWORK.has(code)) return true;
  return code === "" && thrown instanceof Error && !RepriseError.is(thrown) && LOST.test(thrown.message);
}

/** Whether another process was faster, so that the operation may succeed when it is repeated from its reading. */
export function isRace(thrown: unknown): boolean {
  return ["23505", "40001", "40P01"].includes(codeOf(thrown));
}

/** The same error as a unique index gives, for a thread that another process made first. */
export function tooLate(): Error {
  return Object.assign(new Error("Another process created the thread."), { code: "23505" });
}

function unavailable([reason, what]: readonly [string, string], code: string, cause: unknown): RepriseError {
  const details = { reason, ...(code === "" ? {} : { postgres: code }) };
  return new RepriseError("STORE_UNAVAILABLE", `The Postgres database cannot be used: ${what}.`, { cause, details });
}

/** The code of the server or of Node; empty when there is none. */
/** The code of a server or of the network; empty without one. */
export function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  // Node tries several addresses and says so in one error.
  const [first] = thrown instanceof AggregateError ? thrown.errors : [];
  if (first !== undefined && first !== thrown) return codeOf(first);
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

export function storeClosed(): RepriseError {
  return new RepriseError("STORE_UNAVAILABLE", "The store is closed.");
}

/** The same error for a write that may have happened. */
export function doubtful({ message, cause, details }: RepriseError): RepriseError {
  const text = `${message} Whether it was written is not known.`;
  return new RepriseError("STORE_UNAVAILABLE", text, { cause, details: { ...details, in_doubt: true } });
}
