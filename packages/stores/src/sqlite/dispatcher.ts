import { RepriseError } from "@reprise/contracts";
import { unescapeText } from "../codec/escape-text.ts";
import type { Connection } from "./connection.ts";
import { type DispatcherLock, lockDispatcher } from "./dispatcher-lock.ts";
import type { WriterTask } from "./writer-task.ts";

/** What the right to claim needs to be asked for. */
export interface DispatcherPorts {
  readonly file: string;
  readonly connection: Connection;
  now(): number;
  write(task: WriterTask): Promise<unknown>;
}

/** One process at a time claims work on a file. It becomes that process with the first claim and stays it until it closes. */
export class Dispatcher {
  readonly #ports: DispatcherPorts;
  #lock: DispatcherLock | undefined;
  #ready: Promise<void> | undefined;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
  }

  /** Whether this process is the one, or could become it and now is. */
  async tryBecome(): Promise<boolean> {
    this.#lock ??= lockDispatcher(this.#ports.file);
    if (this.#lock === undefined) return false;
    this.#ready ??= this.#begin(this.#lock);
    try {
      await this.#ready;
    } catch (error) {
      // Tried again by whoever asks next.
      this.#ready = undefined;
      throw error;
    }
    return true;
  }

  /** Throws with the process id of the one that is. */
  async become(): Promise<void> {
    if (await this.tryBecome()) return;
    const pid = this.#ports.connection.get<{ readonly pid: number }>("select pid from dispatcher where one = 1")?.pid;
    const message = `Cannot claim work on ${this.#ports.file}: process ${pid ?? "unknown"} does.`;
    throw new RepriseError("STORE_OWNED", message, { details: { owner_pid: pid ?? null } });
  }

  /** Takes a name to claim under, among the handles of this process. Returns the way to give it up. */
  async enter(owner: string): Promise<() => Promise<void>> {
    await this.become();
    const names = this.#lock?.names;
    if (names?.has(owner) === true) {
      const message = `Cannot claim as ${owner} on ${this.#ports.file}: another runtime of this process does.`;
      throw new RepriseError("STORE_OWNED", message, { details: { owner, owner_pid: process.pid } });
    }
    const holder = {};
    names?.set(owner, holder);
    return async () => {
      if (names?.get(owner) === holder) names.delete(owner);
    };
  }

  close(): void {
    this.#lock?.unlock();
    this.#lock = undefined;
  }

  async #begin(lock: DispatcherLock): Promise<void> {
    const { now, write } = this.#ports;
    await write({ task: "own", now: now(), pid: process.pid });
    await lock.prepare(() => this.#releaseLeft());
  }

  /** Nobody else claims on this file, so whatever is claimed by somebody else is claimed by nobody: it need not wait. */
  async #releaseLeft(): Promise<void> {
    const { connection, now, write } = this.#ports;
    const left = connection.all<{ readonly tenant: string; readonly thread_id: string; readonly claim_owner: string }>(
      "select tenant, thread_id, claim_owner from threads where claim_owner is not null",
    );
    const released = left.map(({ tenant, thread_id, claim_owner }) => {
      const request = { operation: "release_owner", tenant, thread_id, owner: unescapeText(claim_owner) } as const;
      // A thread that cannot be read keeps its claim; nothing can be done on it anyway.
      return write({ task: "operation", now: now(), request }).catch(() => undefined);
    });
    await Promise.all(released);
  }
}
