import type { Changeset, Store, StoreOperator, TenantStore } from "@reprise/contracts";

export interface Interception {
  readonly tenant?: (inner: TenantStore) => Partial<TenantStore>;
  readonly operator?: (inner: StoreOperator) => Partial<StoreOperator>;
}

/** The same store, with some of its methods in other hands. */
export function interceptStore(store: Store, { tenant, operator }: Interception): Store {
  return {
    durability: store.durability,
    forTenant(name) {
      const inner = store.forTenant(name);
      return { ...inner, ...tenant?.(inner) };
    },
    operator: { ...store.operator, ...operator?.(store.operator) },
    close: () => store.close(),
  };
}

export interface CommitLog {
  readonly store: Store;
  /** Every changeset that was stored, with the submission that carried one. */
  readonly changesets: readonly Changeset[];
}

/** Counts the transactions that write to a thread. */
export function logCommits(store: Store): CommitLog {
  const changesets: Changeset[] = [];
  const logged = interceptStore(store, {
    tenant: (inner) => ({
      async commit(changeset, guard) {
        const committed = await inner.commit(changeset, guard);
        changesets.push(changeset);
        return committed;
      },
      async submit(entry, claiming) {
        const submitted = await inner.submit(entry, claiming);
        if (submitted.status === "claimed" && claiming !== undefined) changesets.push(claiming.changeset);
        return submitted;
      },
    }),
  });
  return { store: logged, changesets };
}

/** Commits that fail as told: return an error for the nth commit, or nothing to let it pass. */
export function failCommits(store: Store, fault: (count: number, changeset: Changeset) => Error | undefined): Store {
  let count = 0;
  return interceptStore(store, {
    tenant: (inner) => ({
      async commit(changeset, guard) {
        count += 1;
        const error = fault(count, changeset);
        if (error !== undefined) throw error;
        return inner.commit(changeset, guard);
      },
    }),
  });
}
