import type { Changeset, Claim, Store, TenantStore } from "@reprise/contracts";
import { type AnyMethod, wrapMethods } from "./wrap-methods.ts";

const ADMISSIONS = ["submit", "decide", "requestCancel"];
const OPERATIONS = ["claim", "renew", "release", "releaseOwner", "enter"];

/**
 * Puts fault points around everything that changes a store: `store.<operation>:before`, and `:after`, when it is done and
 * nobody was told.
 */
export function storeWithPoints<Wrapped extends Store>(store: Wrapped, visit: (point: string) => void): Wrapped {
  const around = async (name: string, parameters: readonly unknown[], proceed: AnyMethod): Promise<unknown> => {
    visit(`store.${name}:before`);
    const answer = await proceed(...parameters);
    visit(`store.${name}:after`);
    return answer;
  };
  const wrapTenant = (tenant: TenantStore): TenantStore =>
    wrapMethods(tenant, [...ADMISSIONS, "commit"], (name, parameters, proceed) => {
      if (name === "commit") return around(commitName(parameters), parameters, proceed);
      return around(name === "submit" && parameters[1] !== undefined ? "submit_claiming" : name, parameters, proceed);
    });
  const operator = wrapMethods(store.operator, OPERATIONS, async (name, parameters, proceed) => {
    if (name !== "claim") return around(name, parameters, proceed);
    visit("store.claim:before");
    const claims = await proceed(...parameters);
    // The store's own answer: `claim` is declared to return claims.
    for (const { kind } of claims as readonly Claim[]) visit(`store.claim(${kind}):after`);
    return claims;
  });
  return wrapMethods({ ...store, operator }, ["forTenant"], (_name, parameters, proceed) =>
    // The store's own answer: `forTenant` is declared to return one.
    wrapTenant(proceed(...parameters) as TenantStore),
  );
}

function commitName([changeset]: readonly unknown[]): string {
  // The first parameter of a commit.
  return `commit(${(changeset as Changeset).reasons.join("+")})`;
}
