import { RepriseError, type ThreadPlace } from "@reprise/contracts";
import type { Tables } from "./tables.ts";

/** The names under which runtimes of this process claim; nobody else can reach the tables. */
export class Claimers {
  readonly #names = new Set<string>();

  /** Takes a name until the function it returns is called. */
  enter(owner: string): () => Promise<void> {
    if (this.#names.has(owner)) {
      const message = `Cannot claim as ${owner}: another runtime of this process does.`;
      throw new RepriseError("STORE_OWNED", message, { details: { owner, owner_pid: process.pid } });
    }
    this.#names.add(owner);
    let isIn = true;
    return async () => {
      if (isIn) this.#names.delete(owner);
      isIn = false;
    };
  }
}

/** The threads an owner has a claim on. */
export function findClaims({ threads }: Tables, owner: string): readonly ThreadPlace[] {
  const held = [...threads].filter(({ row }) => row?.claim?.owner === owner);
  return held.map(({ tenant: { tenant }, threadId }) => ({ tenant, thread_id: threadId }));
}

/** The threads of a tenant that anybody has a claim on. */
export function findClaimed({ threads }: Tables, tenant: string): readonly string[] {
  const held = [...threads].filter((thread) => thread.tenant.tenant === tenant && thread.row?.claim != null);
  return held.map(({ threadId }) => threadId);
}
