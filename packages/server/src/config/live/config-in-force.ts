import { type Documents, type ModelProvider, RepriseError } from "@reprise/contracts";
import type { CheckedConfig } from "../check-config.ts";
import type { Config } from "../config.ts";
import type { ConfigPorts } from "../config-ports.ts";
import { configInvalid } from "../config-problem.ts";
import { checkOverlay } from "./check-overlay.ts";
import { loadVersion } from "./config-turn.ts";
import { type FittedOverlay, fitOverlay } from "./fit-overlay.ts";
import type { LiveConfigOptions } from "./live-config.ts";
import type { EntrySealer } from "./seal-entry.ts";
import { type ConfigKind, isEntry, loadEntries, type StoredEntry } from "./stored-entries.ts";

export interface InForceOptions extends Required<Omit<LiveConfigOptions, "pollMs" | "secretKey">> {
  readonly sealer: EntrySealer;
}

/** The configuration that counts in this process: the file, with what is stored over it. */
export class ConfigInForce {
  readonly base: Config;
  readonly documents: Documents;
  readonly sealer: EntrySealer;
  readonly #options: InForceOptions;
  readonly #ports: ReturnType<typeof rememberProviders>;
  #fitted: FittedOverlay;
  #stored: readonly StoredEntry[] | undefined;
  #number = 0;
  /** Whether no change was in progress when it was loaded. */
  #isSettled = false;

  constructor(options: InForceOptions) {
    this.#options = options;
    this.sealer = options.sealer;
    this.base = options.base;
    this.documents = options.runtime.documents;
    this.#ports = rememberProviders(options.ports);
    this.#fitted = { ...this.check(options.base), entries: [], leftOut: [] };
  }

  /** Higher with every change. */
  get number(): number {
    return this.#number;
  }

  /** The store's time. */
  now(): number {
    return this.#options.runtime.now();
  }

  get fitted(): FittedOverlay {
    return this.#fitted;
  }

  /** Everything that is stored, also what does not count. */
  get stored(): readonly StoredEntry[] {
    return this.#stored ?? [];
  }

  find(kind: ConfigKind, id: string): StoredEntry | undefined {
    return this.stored.find((entry) => isEntry(entry, kind, id));
  }

  /** Checks a whole configuration as this process would run it; throws `CONFIG_INVALID`. */
  check(file: unknown): CheckedConfig {
    return checkOverlay(this.base, file, this.#ports);
  }

  /** Takes over what others changed. A cheap look when they did not. */
  async catchUp(): Promise<void> {
    const { number, isBeingChanged } = await loadVersion(this.documents);
    if (this.#isSettled && !isBeingChanged && number === this.#number) return;
    await this.load();
    // Another process is changing it, or died while doing so and left something: poll again.
    this.settle(number, !isBeingChanged);
  }

  settle(number: number, isSettled = true): void {
    [this.#number, this.#isSettled] = [number, isSettled];
  }

  /** Reads what is stored, and has it count if it is anything new. */
  async load(): Promise<void> {
    const stored = await loadEntries(this.documents, this.sealer);
    if (this.#stored !== undefined && areSame(stored, this.#stored)) return;
    const fitted = fitOverlay(this.base, stored, this.#ports);
    this.#options.runtime.redefine(fitted.definitions);
    this.#ports.forgetOthers();
    this.#report(fitted);
    [this.#fitted, this.#stored] = [fitted, stored];
  }

  /** Tells of entries that do not fit, once each. */
  #report({ leftOut }: FittedOverlay): void {
    for (const { entry, problems } of leftOut) {
      if (this.#fitted.leftOut.some((known) => areSame([known.entry], [entry]))) continue;
      const { message, details } = configInvalid(problems);
      const what = `The stored entry ${JSON.stringify(entry.id)} of ${entry.kind} is left out. ${message}`;
      this.#options.onProblem(new RepriseError("CONFIG_INVALID", what, { details }));
    }
  }
}

/** Revisions are never used again: what has the same ones is the same. */
function areSame(some: readonly StoredEntry[], others: readonly StoredEntry[]): boolean {
  const isSameAs = (one: StoredEntry, other: StoredEntry | undefined): boolean =>
    other !== undefined && isEntry(one, other.kind, other.id) && one.revision === other.revision;
  return some.length === others.length && some.every((entry, index) => isSameAs(entry, others[index]));
}

/**
 * Ports that make a provider once for as long as its settings stay the same: what it knows, its connections and its new keys
 * included, outlives changes of everything else.
 */
function rememberProviders(ports: ConfigPorts): ConfigPorts & { forgetOthers(): void } {
  let made = new Map<string, ModelProvider>();
  let used = new Map<string, ModelProvider>();
  return {
    ...ports,
    variable: (name) => ports.variable(name),
    createProvider: (id, settings) => {
      const key = JSON.stringify([id, settings]);
      const provider = made.get(key) ?? ports.createProvider(id, settings);
      made.set(key, provider);
      used.set(key, provider);
      return provider;
    },
    /** Keeps those that were asked for since the last time. */
    forgetOthers: () => {
      made = used;
      used = new Map();
    },
  };
}
