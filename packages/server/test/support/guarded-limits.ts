import { timingSafeEqual } from "node:crypto";
import type { AccessLimits, Authenticate, StreamLimits } from "@reprise/server";
import type { ListenOptions } from "@reprise/server/node";

/** Everybody in these tests is the same address. */
export const UNCOUNTED: Partial<AccessLimits> = { requestsPerAddress: Infinity, requestsPerPrincipal: Infinity };

interface Patience {
  readonly streams: Partial<StreamLimits>;
  readonly listen: ListenOptions;
}

/** So little that a test sees the end of it; streams get no word for longer than that. */
export const IMPATIENT: Patience = {
  streams: { heartbeatMs: 60_000, maxBufferedBytes: 65_536, patienceMs: 1_000 },
  listen: { headersTimeoutMs: 1_000, requestTimeoutMs: 1_500, idleTimeoutMs: 1_000, closeTimeoutMs: 500 },
};

/** Accepts the word the server was started with, as an administrator of any tenant: `root.<word>.<tenant>`. */
export function rootAuthenticate(word: string): Authenticate {
  return async (headers) => {
    const [, said, tenant = ""] = /^Bearer root\.([\w-]+)\.([\w-]*)$/.exec(headers.get("authorization") ?? "") ?? [];
    const [one, other] = [Buffer.from(said ?? ""), Buffer.from(word)];
    if (word === "" || one.length !== other.length || !timingSafeEqual(one, other)) return undefined;
    return { id: "root", scopes: ["admin"], ...(tenant !== "" && { tenant }) };
  };
}
