/** The versions of one agent that a process can run. */
export interface AgentAbility {
  /** The hash of its definition; left out for an agent that runs elsewhere. */
  readonly definition?: string;
  /** The versions of its tools, by tool id. */
  readonly tools: Readonly<Record<string, string>>;
}

/** The agents that a process can run, by id. */
export type Abilities = Readonly<Record<string, AgentAbility>>;

/** A process that works on a store, as it announced itself. */
export interface Worker {
  /** The name it claims under. */
  readonly owner: string;
  /** How long it counts as alive unless it announces itself again, in the store's time. */
  readonly until: number;
  readonly abilities: Abilities;
}

/** Who comes to work on a store. */
export interface WorkerEntry {
  readonly owner: string;
  /** Whether the name is the same over restarts: then an earlier process may have left claims under it. */
  readonly is_lasting: boolean;
  /** How long it counts as alive without a further announcement. */
  readonly lease_ms: number;
}

/** The place of a process among the workers of a store. */
export interface Presence {
  /**
   * Says what the process can run, and that it is alive for another lease. False when another process has taken its name: then its
   * claims are gone and it must take no more work.
   */
  announce(abilities: Abilities): Promise<boolean>;
  /** Takes the process out of the workers. Leaving twice is leaving once. */
  leave(): Promise<void>;
}
