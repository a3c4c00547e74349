import type { Store, TenantStore } from "@reprise/contracts";
import { wrapMethods } from "../worker/wrap-methods.ts";

/** A store with some of its tenants' operations replaced. The replacements get the real ones. */
export function wrapTenants(store: Store, replace: (real: TenantStore) => Partial<TenantStore>): Store {
  return wrapMethods(store, ["forTenant"], (_name, parameters, proceed) => {
    // `forTenant` is declared to answer with one.
    const real = proceed(...parameters) as TenantStore;
    const replaced = replace(real);
    const names = Object.keys(replaced);
    return wrapMethods(real, names, (name, given) => {
      const method: unknown = Reflect.get(replaced, name);
      return typeof method === "function" ? Reflect.apply(method, replaced, [...given]) : undefined;
    });
  });
}
