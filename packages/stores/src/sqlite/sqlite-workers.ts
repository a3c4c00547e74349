import { unescapeText } from "../codec/escape-text.ts";
import type { NameHold, WorkerRow, WorkerRows } from "../shell/worker-rows.ts";
import type { Connection } from "./connection.ts";
import { holdSlot, type WorkerSlot } from "./worker-slot.ts";
import type { WorkerTask } from "./writer-task.ts";

/** What the workers of a file need. */
export interface SqliteWorkerPorts {
  readonly file: string;
  /** For reading. */
  readonly connection: Connection;
  now(): number;
  write<Answer>(task: WorkerTask): Promise<Answer>;
}

type SlottedRow = WorkerRow & { readonly slot: number };

/** The workers of a file. Each has the slot of its process, so that others can tell whether it is still there. */
export class SqliteWorkers implements WorkerRows {
  readonly #ports: SqliteWorkerPorts;
  #slot: WorkerSlot | undefined;

  constructor(ports: SqliteWorkerPorts) {
    this.#ports = ports;
  }

  async list(): Promise<readonly WorkerRow[]> {
    return this.#rows();
  }

  async put(
    { owner, session, lease_ms, abilities }: Parameters<WorkerRows["put"]>[0],
    replaced: string | null,
  ): Promise<boolean> {
    const { number: slot } = await this.#work();
    const { now, write } = this.#ports;
    return write<boolean>({ task: "put_worker", now: now(), slot, owner, session, lease_ms, abilities, replaced });
  }

  async remove(owner: string, session: string): Promise<void> {
    await this.#ports.write({ task: "remove_worker", owner, session });
  }

  /** A name is free when the process that had it is gone. */
  async holdName(owner: string): Promise<NameHold> {
    const { isTaken } = await this.#work();
    const row = this.#rows().find((worker) => worker.owner === owner);
    return { isOurs: row === undefined || !isTaken(row.slot), leave: async () => undefined };
  }

  async findGone(): Promise<readonly WorkerRow[]> {
    const { isTaken } = await this.#work();
    return this.#rows().filter(({ slot }) => !isTaken(slot));
  }

  close(): void {
    this.#slot?.release();
    this.#slot = undefined;
  }

  /** The slot of this process. A process that had it before is gone, and must not be taken for us. */
  async #work(): Promise<WorkerSlot> {
    this.#slot ??= holdSlot(this.#ports.file);
    const slot = this.#slot;
    await slot.prepare(() => this.#ports.write({ task: "free_slot", slot: slot.number }));
    return slot;
  }

  #rows(): readonly SlottedRow[] {
    const rows = this.#ports.connection.all<SlottedRow>("select owner, session, slot, until, abilities from workers");
    return rows.map((row) => ({ ...row, owner: unescapeText(row.owner) }));
  }
}
