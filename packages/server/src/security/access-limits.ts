import { HttpRefusal } from "../http/http-refusal.ts";
import { type AddressRange, callerOf, isInRange, readAddress } from "./address.ts";
import { findClient, readProxies } from "./client-address.ts";
import { LOCAL_PRINCIPAL, type Principal, principalKey } from "./principal.ts";
import { RateLimiter } from "./rate-limiter.ts";

export interface AccessLimits {
  /** Requests in a window from one address, or of one network of long addresses. */
  readonly requestsPerAddress: number;
  /** Requests in a window of one principal, from wherever. */
  readonly requestsPerPrincipal: number;
  readonly windowMs: number;
}

/** On a server without authentication, which serves this machine only, requests are counted only on demand. */
const NONE: AccessLimits = { requestsPerAddress: Infinity, requestsPerPrincipal: Infinity, windowMs: 60_000 };

export const DEFAULT_ACCESS_LIMITS: AccessLimits = {
  requestsPerAddress: 3_000,
  requestsPerPrincipal: 6_000,
  windowMs: 60_000,
};

/** Enough for all concurrent callers, and a few megabytes at most. */
const MAX_CALLERS = 50_000;

export interface AccessOptions {
  readonly limits: Partial<AccessLimits>;
  readonly isAuthenticated: boolean;
  readonly trustedProxies: readonly string[];
}

/** Counts requests per caller, and refuses callers over their limit. */
export class AccessGate {
  readonly #addresses: RateLimiter;
  readonly #principals: RateLimiter;
  readonly #proxies: readonly AddressRange[];

  constructor({ limits, isAuthenticated, trustedProxies }: AccessOptions) {
    const base = isAuthenticated ? DEFAULT_ACCESS_LIMITS : NONE;
    const { requestsPerAddress, requestsPerPrincipal, windowMs } = { ...base, ...limits };
    this.#addresses = new RateLimiter({ requests: requestsPerAddress, windowMs, maxCallers: MAX_CALLERS });
    this.#principals = new RateLimiter({ requests: requestsPerPrincipal, windowMs, maxCallers: MAX_CALLERS });
    this.#proxies = readProxies(trustedProxies);
  }

  /** Before anything else is done for a request. Where the platform does not say where it comes from, it is not counted. */
  admitAddress(remote: string | undefined, headers: Headers): void {
    if (!this.#addresses.isLimited) return;
    const client = findClient(remote, headers.get("x-forwarded-for"), this.#proxies);
    if (client !== undefined) refuse(this.#addresses.take(callerOf(client)));
  }

  isProxy(remote: string): boolean {
    const address = readAddress(remote);
    return address !== undefined && this.#proxies.some((range) => isInRange(address, range));
  }

  /** Called as soon as the principal is known. */
  admitPrincipal(principal: Principal): void {
    if (principal !== LOCAL_PRINCIPAL) refuse(this.#principals.take(principalKey(principal)));
  }
}

function refuse(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.max(Math.ceil(waitMs / 1_000), 1);
  throw new HttpRefusal(429, "too many requests", { "retry-after": String(seconds) });
}
