import { HttpRefusal } from "../http/http-refusal.ts";

/** The rights of a credential: to read, to start and steer runs, to answer questions, to administer the server. */
export type Scope = "read" | "run" | "decide" | "admin";

export const SCOPES: readonly Scope[] = ["read", "run", "decide", "admin"];

/** The authenticated caller. */
export interface Principal {
  readonly id: string;
  /** From the credential, never from the request. The runtime's own when it is left out. */
  readonly tenant?: string;
  readonly scopes: readonly Scope[];
}

/**
 * Identifies the caller by the headers alone, before anything else of the request is read. Undefined when there is no
 * credential, or none that counts.
 */
export type Authenticate = (headers: Headers) => Promise<Principal | undefined>;

/** The caller on a server without authentication. A server without authentication listens on the loopback address only. */
export const LOCAL_PRINCIPAL: Principal = { id: "local", scopes: SCOPES };

/** Whoever can sign a request: they may start what they signed, and nothing else. */
export const SIGNED_PRINCIPAL: Principal = { id: "signed", scopes: ["run"] };

/** The principal as the maker of decisions. On a server without authentication it is not known. */
export function deciderOf(principal: Principal): { readonly decidedBy?: string } {
  return principal === LOCAL_PRINCIPAL ? {} : { decidedBy: principal.id };
}

/** Tells principals apart, also those of different tenants. */
export function principalKey({ id, tenant = "" }: Principal): string {
  return JSON.stringify([tenant, id]);
}

/** `admin` may do everything; the others do not include each other. */
export function hasScope({ scopes }: Principal, wanted: Scope): boolean {
  return scopes.includes(wanted) || scopes.includes("admin");
}

/** Refuses who belongs to another tenant than the server's own: what is shared by all is not theirs to see. */
export function assertOwnTenant({ tenant }: Principal, own: string, what: string): void {
  if ((tenant ?? own) !== own) throw new HttpRefusal(403, `forbidden: ${what} to the server's own tenant`);
}

/** Refuses a principal that has none of the wanted scopes. */
export function assertScope(principal: Principal, ...wanted: readonly Scope[]): void {
  if (wanted.some((scope) => hasScope(principal, scope))) return;
  throw new HttpRefusal(403, `forbidden: this needs the scope ${wanted.join(" or ")}`);
}
