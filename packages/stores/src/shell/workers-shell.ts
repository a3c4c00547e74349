import {
  type Abilities,
  type Presence,
  RepriseError,
  type StoreOperator,
  type Worker,
  type WorkerEntry,
} from "@reprise/contracts";
import { parseJson } from "@reprise/state";
import { decodeNeed, hasAgent, mayTake, meetsNeed, type NeedText, UNKNOWN_NEED } from "../kernel/need.ts";
import type { StoreDriver } from "./driver.ts";
import type { NameHold, WorkerRow } from "./worker-rows.ts";

type Ports = Pick<StoreDriver, "workers" | "holdName" | "findGone" | "now" | "dueNeeds">;

/** After this a worker that fell silent is forgotten. */
const FORGET_MS = 86_400_000;

/** Who works on a store, and what that means for others. */
export class Workers implements Pick<StoreOperator, "enter" | "listWorkers" | "listMissingAgents"> {
  readonly #driver: Ports;
  readonly #releaseOwner: (owner: string) => Promise<void>;
  /** What texts of abilities say: they are read with every look for work, and hardly ever change. */
  #read: ReadonlyMap<string, Abilities> = new Map();

  constructor(driver: Ports, releaseOwner: (owner: string) => Promise<void>) {
    this.#driver = driver;
    this.#releaseOwner = releaseOwner;
  }

  async enter(entry: WorkerEntry): Promise<Presence> {
    const { owner, is_lasting, lease_ms } = entry;
    const hold = is_lasting ? await this.#driver.holdName?.(owner) : undefined;
    const session = crypto.randomUUID();
    try {
      const [rows, now] = await Promise.all([this.#driver.workers.list(), this.#driver.now()]);
      const found = rows.find((row) => row.owner === owner);
      const worker = { owner, session, lease_ms, abilities: "{}" };
      if (isTaken(found, hold, now) || !(await this.#driver.workers.put(worker, found?.session ?? null)))
        throw owned(owner);
      if (is_lasting) await this.#releaseOwner(owner);
      await this.#forget(rows.filter(({ until }) => until < now - FORGET_MS));
      await this.#releaseGone();
    } catch (error) {
      await hold?.leave();
      throw error;
    }
    return this.#presence({ owner, session, lease_ms }, hold);
  }

  async listWorkers(): Promise<readonly Worker[]> {
    const [rows, now] = await Promise.all([this.#driver.workers.list(), this.#driver.now()]);
    const live = rows.filter(({ until }) => until > now);
    this.#read = new Map(
      live.map(({ abilities }) => [abilities, this.#read.get(abilities) ?? readAbilities(abilities)]),
    );
    return live.map(({ owner, until, abilities }) => ({ owner, until, abilities: this.#read.get(abilities) ?? {} }));
  }

  async listMissingAgents(): Promise<readonly string[]> {
    const needs = (await this.#driver.dueNeeds()).flatMap((text) => decodeNeed(text) ?? []);
    if (needs.length === 0) return [];
    const workers = await this.listWorkers();
    const isMissing = (need: (typeof needs)[number]): boolean =>
      !workers.some(({ abilities }) => hasAgent(need, abilities));
    return [...new Set(needs.filter(isMissing).map(({ agent }) => agent))].sort();
  }

  /** The needs of due work that a worker may do. Others are looked for only when it is not the best there can be. */
  async chooseNeeds(owner: string, abilities: Abilities | undefined): Promise<readonly NeedText[]> {
    const due = await this.#driver.dueNeeds();
    if (abilities === undefined) return due;
    const isClear = (text: NeedText): boolean => {
      const need = decodeNeed(text);
      return need === undefined || meetsNeed(need, abilities);
    };
    if (due.every(isClear)) return due;
    const others = (await this.listWorkers())
      .filter((worker) => worker.owner !== owner)
      .map((worker) => worker.abilities);
    const mayDo = (text: NeedText): boolean => {
      const need = decodeNeed(text);
      return text === UNKNOWN_NEED || (need !== undefined && mayTake(need, abilities, others));
    };
    return due.filter(mayDo);
  }

  #presence(worker: Pick<WorkerRow, "owner" | "session"> & { lease_ms: number }, hold: NameHold | undefined): Presence {
    let announced = "{}";
    let hasLeft = false;
    return {
      announce: async (abilities) => {
        const text = JSON.stringify(abilities);
        const changed = { ...worker, abilities: text === announced ? null : text };
        const isOurs = !hasLeft && (await this.#driver.workers.put(changed, worker.session));
        if (isOurs) announced = text;
        // The name is another's: it must not look as if it were held.
        else await hold?.leave();
        return isOurs;
      },
      leave: async () => {
        if (hasLeft) return;
        hasLeft = true;
        try {
          await this.#driver.workers.remove(worker.owner, worker.session);
        } finally {
          await hold?.leave();
        }
      },
    };
  }

  /** What processes held that are sure to be gone need not wait for the end of their leases. */
  async #releaseGone(): Promise<void> {
    const gone = (await this.#driver.findGone?.()) ?? [];
    for (const { owner } of gone) await this.#releaseOwner(owner);
    await this.#forget(gone);
  }

  async #forget(rows: readonly WorkerRow[]): Promise<void> {
    await Promise.all(rows.map(({ owner, session }) => this.#driver.workers.remove(owner, session)));
  }
}

function readAbilities(text: string): Abilities {
  // Written by `announce`.
  return parseJson(text) as unknown as Abilities;
}

/** Whether a live process has a name. One that fell silent counts as gone, even if the system still knows it: it may be frozen. */
function isTaken(found: WorkerRow | undefined, hold: NameHold | undefined, now: number): boolean {
  if (hold?.isOurs === true) return false;
  if (found !== undefined) return found.until > now;
  // Another process took hold of the name and is about to enter.
  return hold !== undefined;
}

function owned(owner: string): RepriseError {
  const message = `Cannot work as ${owner}: another process with this instance id is alive. Give each its own.`;
  return new RepriseError("STORE_OWNED", message, { details: { owner } });
}
