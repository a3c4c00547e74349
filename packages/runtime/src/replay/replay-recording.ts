import type {
  Changeset,
  Claim,
  Env,
  RunObserver,
  RunRecord,
  StoredChangeset,
  ToolCallRecord,
} from "@reprise/contracts";
import { applyPatches } from "@reprise/state";
import { runActivation } from "../dispatcher/activate.ts";
import type { RecordedCommit } from "../effects/effect-log.ts";
import { LOOP_VERSION } from "../effects/port.ts";
import { ReplayPort } from "../effects/replay-port.ts";
import { composeClosing } from "../loop/compose-closing.ts";
import { composeStart } from "../loop/compose-start.ts";
import type { Services } from "../loop/services.ts";
import type { AgentSource } from "../resolve/agents.ts";
import { LoadedThread } from "../thread/loaded-thread.ts";
import { type RecordedActivation, type RecordedPart, rowOf, splitRecording } from "./activations.ts";
import { type Difference, type Divergence, findDifference, plain } from "./compare-commits.ts";
import { foldRows } from "./fold-rows.ts";
import { readEffects } from "./read-effects.ts";
import type { RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";
import { createReplayServices } from "./replay-services.ts";
import { findBrokenSeal } from "./seal-recording.ts";

/**
 * - `verify`: no code of the definition runs; hooks, reducers and rules answer from the recording. Says whether the recording is whole.
 * - `reexecute`: today's hooks, reducers and rules are asked, with the recorded answers of models and tools. Says where they would do
 *   something else.
 */
export type ReplayMode = "verify" | "reexecute";

export type ReplayResult =
  | {
      readonly run_id: string;
      readonly mode: ReplayMode;
      readonly equal: true;
      /** How many versions of the thread are the run's. */
      readonly versions: number;
      readonly events: number;
      /** Of everything that was compared: the same for every equal replay of a run. */
      readonly hash: string;
    }
  | { readonly run_id: string; readonly mode: ReplayMode; readonly equal: false; readonly divergence: Divergence };

export interface ReplayContext {
  readonly env: Env;
  readonly mode: ReplayMode;
  /** Today's agents, for a replay that asks them. */
  readonly agents?: AgentSource;
  /** The programs of agents that are run by one: they are a part of the loop. */
  readonly program?: AgentSource["program"];
  /** Reads what models were asked, and what they answered. */
  readonly reader?: RunObserver;
  /** What a runtime brings beside, such as its way to count tokens. */
  readonly services?: Pick<Services, "tokens" | "limits">;
}

/** Runs a recorded run again, through the same loop, without a model, a tool or anything else that is outside. */
export async function replayRecording(recording: RunRecording, context: ReplayContext): Promise<ReplayResult> {
  const { run, changesets, digest } = recording;
  const { mode, env } = context;
  const run_id = run.run_id;
  assertReplayable(recording);
  const broken = findBrokenSeal(recording, env.hash);
  const divergence = broken ?? (await new Replay(recording, context).run());
  if (divergence !== undefined) return { run_id, mode, equal: false, divergence };
  const own = changesets.filter((changeset) => changeset.run_id !== null);
  const events = own.flatMap((changeset) => changeset.events).filter((event) => event.run_id === run_id).length;
  return { run_id, mode, equal: true, versions: own.length, events, hash: digest };
}

function assertReplayable({ run, changesets }: RunRecording): void {
  if (run.termination_code === "error:buffer_lost") throw replayImpossible(run.run_id, "its store lost a part of it");
  const isKnown = changesets[0]?.changeset_id === `${run.run_id}-start`;
  if (!isKnown) throw replayImpossible(run.run_id, "its first commit is missing");
}

class Replay {
  readonly #recording: RunRecording;
  readonly #context: ReplayContext;
  readonly #thread: LoadedThread;
  readonly #applied: StoredChangeset[] = [];
  #divergence: Divergence | undefined;

  constructor(recording: RunRecording, context: ReplayContext) {
    this.#recording = recording;
    this.#context = context;
    const { version, state, messages, superseded } = recording.base;
    this.#thread = new LoadedThread(recording.run.thread_id, version, state, messages, superseded);
    // The row of the run holds the resource that the thread had when the run began.
    this.#thread.resourceId = recording.run.resource_id;
  }

  async run(): Promise<Divergence | undefined> {
    this.#begin();
    for (const part of splitRecording(this.#recording)) {
      if (this.#divergence !== undefined) break;
      await this.#play(part);
    }
    return this.#divergence;
  }

  #play(part: RecordedPart): Promise<void> | void {
    if (part.kind === "activation") return this.#activate(part.activation);
    if (part.kind === "closed") this.#close(part.changeset);
    else this.#apply(part.changeset);
  }

  /** The first changeset, which is made when a run is accepted. */
  #begin(): void {
    const { request, run, entry_id, closing, restore, changesets } = this.#recording;
    const [expected] = changesets;
    if (expected === undefined) throw replayImpossible(run.run_id, "nothing of it is recorded");
    const actual = composeStart({
      request,
      run_id: run.run_id,
      entry_id,
      thread: this.#thread,
      now: rowOf(run, expected)?.created_at ?? 0,
      ...(closing !== undefined && { closing }),
      ...(restore !== undefined && { restore }),
    });
    this.#accept(expected, actual);
  }

  /** One owner's work. */
  async #activate({ epoch, claim: stored, changesets }: RecordedActivation): Promise<void> {
    const { run, tenant } = this.#recording;
    const { env, mode, reader } = this.#context;
    if (stored.loop_version > LOOP_VERSION)
      throw replayImpossible(
        run.run_id,
        `it was recorded by version ${stored.loop_version} of the loop, which is newer`,
      );
    const last = changesets.at(-1);
    const effects = new ReplayPort({
      env,
      loopVersion: stored.loop_version,
      mayHaveMail: stored.may_have_mail,
      commits: changesets.map((changeset) => this.#describe(changeset)),
      isLeft: last !== undefined && rowOf(run, last)?.status === "running",
      isAsking: mode === "reexecute",
      ...(reader !== undefined && { reader }),
      judge: {
        accept: (commit, changeset) => this.#accept(changesets[commit] as StoredChangeset, changeset),
        missed: (commit, index, effect, asked) => {
          const expected = effect === undefined ? null : plain({ ...effect, value: undefined, texts: undefined });
          this.#part(changesets[commit] ?? last, { what: "effect", index, expected, actual: [...asked] });
        },
      },
    });
    const row = this.#rows.run;
    if (row === undefined) throw replayImpossible(run.run_id, "its first commit has no run");
    const claimed = { ...row, recoveries: stored.recoveries };
    // Of an entry that woke a run nothing counts but its id and how often it was tried.
    const { entry_id, attempts } = stored;
    const entry = entry_id === undefined ? {} : { entry: { entry_id, attempts } as NonNullable<Claim["entry"]> };
    const { kind } = stored;
    const { thread_id } = run;
    const claim = { tenant, thread_id, epoch, kind, owner: "replay", lease_until: 0, run: claimed, ...entry };
    const port = { effects, assertHeld: () => undefined, lendSlot: () => () => undefined };
    const services = createReplayServices(this.#context, effects);
    await runActivation(services, claim, { run: claimed, thread: this.#thread }, port);
    if (effects.isComplete || last === undefined) return;
    this.#part(last, { what: "commit", index: 0, expected: last.changeset_id, actual: null });
  }

  /** The end of a run whose place another took: it is a part of that one's first changeset. */
  #close(changeset: StoredChangeset): void {
    const { run, calls } = this.#rows;
    const expected = rowOf(this.#recording.run, changeset);
    if (run === undefined || expected === undefined) return;
    const closing = composeClosing({ run, calls }, changeset.run_id ?? "", expected.updated_at);
    const { run: closed, ...parts } = closing;
    const said = new Set(closing.messages.map(({ id }) => id));
    const own = {
      ...changeset,
      runs: [expected],
      calls: changeset.calls.filter(({ run_id }) => run_id === run.run_id),
      messages: changeset.messages.filter(({ id }) => said.has(id)),
      events: changeset.events.filter(({ run_id }) => run_id === run.run_id),
    };
    this.#accept(own, { ...own, ...parts, runs: [closed] });
  }

  /** Compares a commit with the recorded one, and takes that in when they are the same. */
  #accept(expected: StoredChangeset, actual: Changeset): boolean {
    const difference = findDifference(expected, actual, { ignoresDefinition: this.#context.mode === "reexecute" });
    if (difference === undefined) this.#apply(expected);
    else this.#part(expected, difference);
    return difference === undefined;
  }

  /** Only the first difference counts. */
  #part(changeset: StoredChangeset | undefined, difference: Difference): void {
    this.#divergence ??= { version: changeset?.version ?? 0, ...difference };
  }

  #apply(changeset: StoredChangeset): void {
    this.#applied.push(changeset);
    this.#thread.advance(changeset.version, applyPatches(this.#thread.document, changeset.patches), changeset);
  }

  get #rows(): { readonly run: RunRecord | undefined; readonly calls: readonly ToolCallRecord[] } {
    return foldRows(this.#applied, this.#recording.run.run_id);
  }

  #describe(changeset: StoredChangeset): RecordedCommit {
    const { effects, events } = readEffects(changeset, this.#recording);
    return { ...changeset, effects, events };
  }
}
