import { type ProgramEvent, type ProgramPort, RepriseError, type WorkContext } from "@reprise/contracts";
import { type Json, type JsonObject, type Op, ops } from "@reprise/state";
import type { Place, Task } from "./flow.ts";
import type { NodeRecord, WorkflowState } from "./workflow-state.ts";

/** What is stored of a workflow run, and what is to be stored with the next commit. */
export class RunBook {
  readonly port: ProgramPort;
  /** Work that is under way, by its key. */
  readonly tasks: Map<string, Task> = new Map();
  /** How every node stands, by its path. */
  readonly records: Map<string, NodeRecord> = new Map();
  state: WorkflowState | undefined;
  /** Pieces of work that the run waits for. */
  busy = 0;
  /** Whether a commit would store anything. */
  isDirty = false;
  /** Whether something is over that is not committed yet. */
  owes = false;

  /** Changes since the last commit. */
  #changes: Op[] = [];
  readonly #written = new Map<string, NodeRecord>();

  constructor(port: ProgramPort) {
    this.port = port;
  }

  /** The state of a run that is open. */
  get known(): WorkflowState {
    if (this.state === undefined) throw new RepriseError("INTERNAL", "A workflow run is used before it is open.");
    return this.state;
  }

  recordOf({ path }: Pick<Place, "path">): NodeRecord {
    return this.records.get(path) ?? { status: "running", attempt: 1, started_at: this.port.now };
  }

  write(path: string, record: NodeRecord): void {
    this.records.set(path, record);
    this.#written.set(path, record);
    this.isDirty = true;
  }

  /** Changes the state beside its nodes. */
  change(changes: readonly Op[]): void {
    this.#changes.push(...changes);
    this.isDirty = true;
  }

  /** Stores another state as a whole. */
  replace(state: WorkflowState): void {
    this.state = state;
    this.#written.clear();
    // A state is made of JSON; its interface hides it.
    this.change([ops.set([], state as unknown as JsonObject)]);
  }

  /** Makes all changes one patch: the map of the nodes is copied once for a commit, and only what a node came to is stored. */
  flush(): void {
    // As above.
    const written = Array.from(this.#written, ([path, record]) =>
      ops.set(["nodes", path], record as unknown as JsonObject),
    );
    const changes = [...this.#changes, ...written];
    this.#changes = [];
    this.#written.clear();
    if (changes.length > 0) this.port.change(changes);
  }

  emit(event: ProgramEvent): void {
    this.port.emit(event);
  }

  emitOnCommit(event: ProgramEvent): void {
    this.isDirty = true;
    this.port.emitOnCommit(event);
  }

  async commit(): Promise<void> {
    if (!this.isDirty) return;
    this.isDirty = false;
    this.owes = false;
    this.flush();
    await this.port.commit();
  }

  /** The key of a piece of work, which is also the step of the events that it shows. */
  keyOf(name: string): string {
    return `${this.port.identity.runId}-${name}`;
  }

  /** Starts work beside the run. Its name is unique in the run; a second attempt has another one. */
  begin(name: string, task: Task, perform: (work: WorkContext) => Promise<Json>): void {
    const key = this.keyOf(name);
    this.tasks.set(key, task);
    this.port.begin({ key, perform });
  }
}
