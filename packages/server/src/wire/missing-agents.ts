import type { MailboxEntry, Worker } from "@reprise/contracts";

/** Lists of agents in answers have at most so many. */
export const MAX_LISTED_AGENTS = 10;

/** Which agents of queued entries no live worker has. */
export class MissingAgents {
  readonly #workers: readonly Worker[];
  readonly #found = new Set<string>();

  constructor(workers: readonly Worker[]) {
    this.#workers = workers;
  }

  see({ status, agent_id }: MailboxEntry): void {
    const isServed = this.#workers.some(({ abilities }) => Object.hasOwn(abilities, agent_id));
    if (status === "queued" && !isServed) this.#found.add(agent_id);
  }

  get list(): readonly string[] {
    return [...this.#found].sort().slice(0, MAX_LISTED_AGENTS);
  }
}
