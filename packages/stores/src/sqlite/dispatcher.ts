import { RepriseError } from "@reprise/contracts";
import type { Connection } from "./connection.ts";
import { lockDispatcher } from "./dispatcher-lock.ts";
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
  #unlock: (() => void) | undefined;
  #recorded: Promise<unknown> | undefined;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
  }

  /** Whether this process is the one, or could become it and now is. */
  async tryBecome(): Promise<boolean> {
    this.#unlock ??= lockDispatcher(this.#ports.file);
    if (this.#unlock === undefined) return false;
    this.#recorded ??= this.#ports.write({ task: "own", now: this.#ports.now(), pid: process.pid });
    await this.#recorded;
    return true;
  }

  /** Throws with the process id of the one that is. */
  async become(): Promise<void> {
    if (await this.tryBecome()) return;
    const pid = this.#ports.connection.get<{ readonly pid: number }>("select pid from dispatcher where one = 1")?.pid;
    const message = `Cannot claim work on ${this.#ports.file}: process ${pid ?? "unknown"} does.`;
    throw new RepriseError("STORE_UNAVAILABLE", message, { details: { reason: "owned", owner_pid: pid ?? null } });
  }

  close(): void {
    this.#unlock?.();
    this.#unlock = undefined;
  }
}
