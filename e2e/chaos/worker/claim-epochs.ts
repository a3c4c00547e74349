import type { Claim, Store, Submitted, TenantStore } from "@reprise/contracts";
import { wrapMethods } from "./wrap-methods.ts";

/** The newest epoch this process was given for each thread. */
export interface ClaimEpochs<Wrapped extends Store> {
  readonly store: Wrapped;
  epochOf(threadId: string): number;
}

/** Listens to the claims a store gives out, and tells of each before it is worked on. */
export function watchClaims<Wrapped extends Store>(
  store: Wrapped,
  tell: (claim: Claim) => Promise<void>,
): ClaimEpochs<Wrapped> {
  const epochs = new Map<string, number>();
  const note = async (claim: Claim): Promise<void> => {
    epochs.set(claim.thread_id, claim.epoch);
    await tell(claim);
  };
  const operator = wrapMethods(store.operator, ["claim"], async (_name, parameters, proceed) => {
    // `claim` is declared to answer with claims.
    const claims = (await proceed(...parameters)) as readonly Claim[];
    await Promise.all(claims.map(note));
    return claims;
  });
  const wrapTenant = (tenant: TenantStore): TenantStore =>
    wrapMethods(tenant, ["submit"], async (_name, parameters, proceed) => {
      // `submit` is declared to answer with this.
      const submitted = (await proceed(...parameters)) as Submitted;
      if (submitted.status === "claimed") await note(submitted.claim);
      return submitted;
    });
  const wrapped = wrapMethods({ ...store, operator }, ["forTenant"], (_name, parameters, proceed) =>
    // `forTenant` is declared to answer with this.
    wrapTenant(proceed(...parameters) as TenantStore),
  );
  return { store: wrapped, epochOf: (threadId) => epochs.get(threadId) ?? 0 };
}
