import {
  type Changeset,
  type CommitGuard,
  type Committed,
  type Env,
  type MessageTail,
  type RunRecord,
  type Store,
  staleEpoch,
  type TenantStore,
  type Thread,
  type ToolCallRecord,
} from "@reprise/contracts";
import { applyPatches, type Json } from "@reprise/state";
import { createMemoryStore } from "../memory/memory-store.ts";
import { LoadedThread } from "../thread/loaded-thread.ts";
import { type ComparisonOptions, type Difference, findDifference, textOfCommit } from "./compare-commits.ts";
import { decodeFailure } from "./failure.ts";
import { foldRows } from "./fold-rows.ts";
import type { Playback } from "./playback.ts";
import type { CommittedChangeset } from "./read-changesets.ts";
import type { RunRecording } from "./recording.ts";

/**
 * A private store that holds one thread as it was before a run, and takes in only what was committed to it then. Every commit is
 * compared with the recorded one; the first that differs ends the replay.
 */
export class ReplayStore {
  readonly store: Store;
  playback: Playback | undefined;
  /** One text a commit that was the same. */
  readonly texts: string[] = [];
  readonly #recording: RunRecording;
  readonly #options: ComparisonOptions;
  readonly #thread: LoadedThread;
  readonly #applied: CommittedChangeset[] = [];

  constructor(recording: RunRecording, env: Env, options: ComparisonOptions) {
    this.#recording = recording;
    this.#options = options;
    const { version, state, messages, superseded } = recording.base;
    this.#thread = new LoadedThread(recording.run.thread_id, version, state, messages, superseded);
    const memory = createMemoryStore({ clock: env.clock });
    const tenant = this.#tenant(memory.forTenant(recording.tenant));
    this.store = { ...memory, forTenant: () => tenant };
  }

  /** The thread as far as it was replayed. */
  get thread(): LoadedThread {
    return this.#thread;
  }

  get run(): RunRecord | undefined {
    return foldRows(this.#applied, this.#recording.run.run_id).run;
  }

  get openCalls(): readonly ToolCallRecord[] {
    return foldRows(this.#applied, this.#recording.run.run_id).calls;
  }

  /** Compares a commit with the recorded one; takes that in when they are the same. */
  compare(expected: CommittedChangeset, actual: Changeset): Difference | undefined {
    const difference = findDifference(expected, actual, this.#options);
    if (difference !== undefined) return difference;
    this.texts.push(textOfCommit(actual, this.#options));
    this.apply(expected);
    return undefined;
  }

  /** Takes in what was recorded. */
  apply(changeset: CommittedChangeset): void {
    this.#applied.push(changeset);
    this.#thread.advance(changeset.version, applyPatches(this.#thread.document, changeset.patches), changeset);
  }

  async #commit(changeset: Changeset, { epoch }: CommitGuard): Promise<Committed> {
    const { playback } = this;
    if (playback === undefined || playback.isComplete || playback.divergence !== undefined)
      throw left(changeset, epoch);
    const refusal = playback.refusalOf(changeset.changeset_id);
    if (refusal !== undefined) throw decodeFailure(refusal);
    const expected = playback.expected.changeset;
    const difference = this.compare(expected, changeset);
    if (difference !== undefined) {
      playback.diverge(difference);
      throw left(changeset, epoch);
    }
    playback.committed();
    return { version: expected.version };
  }

  /** What an activation asks of its store; nothing else is ever there. */
  #tenant(memory: TenantStore): TenantStore {
    const { run, decisions } = this.#recording;
    const { thread_id } = run;
    return {
      ...memory,
      commit: (changeset, guard) => this.#commit(changeset, guard),
      readInbox: async () => this.playback?.readInbox() ?? { decisions: [] },
      saveSnapshot: async () => undefined,
      loadThread: async () => ({ thread: this.#row(), generation: 0 }),
      loadSnapshot: async () => ({ version: this.#thread.version, state: this.#thread.document as Json }),
      readPatches: async () => [],
      readMessages: async () => this.#messages(),
      readChangesets: async (_, after) => this.#applied.filter(({ version }) => version > after),
      loadRun: async () => this.run,
      listCalls: async ({ status } = {}) => {
        const items = this.openCalls.filter((call) => call.thread_id === thread_id && call.status === status);
        return { items, total: items.length, has_more: false };
      },
      loadDecision: async (_, callId, suspension) =>
        decisions.find((decision) => decision.call_id === callId && decision.suspension === suspension),
    };
  }

  /** In the order in which they came, which is not the one in which a model reads them. */
  #messages(): MessageTail {
    const { base } = this.#recording;
    const superseded = [...base.superseded, ...this.#applied.flatMap(({ supersedes }) => supersedes)];
    const isWithdrawn = new Set(superseded);
    const all = [...base.messages, ...this.#applied.flatMap(({ messages }) => messages)];
    return { messages: all.filter(({ id }) => !isWithdrawn.has(id)), superseded, next: all.length };
  }

  #row(): Thread {
    const { thread_id } = this.#recording.run;
    return { thread_id, metadata: {}, version: this.#thread.version, created_at: 0, updated_at: 0 };
  }
}

/** Says to an owner that the thread is no longer its own: it writes nothing more. */
function left({ thread_id }: Changeset, epoch: number | null): Error {
  return staleEpoch(thread_id, epoch ?? 0, (epoch ?? 0) + 1);
}
