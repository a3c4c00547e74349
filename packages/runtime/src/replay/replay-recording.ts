import type { BlobStore, Claim, Env } from "@reprise/contracts";
import { activate } from "../dispatcher/activate.ts";
import { composeClosing } from "../loop/compose-closing.ts";
import { composeStart } from "../loop/compose-start.ts";
import type { AgentSource } from "../resolve/agents.ts";
import type { Services } from "../services.ts";
import { type RecordedActivation, rowOf, splitRecording } from "./activations.ts";
import type { Difference } from "./compare-commits.ts";
import { drivePlayback } from "./drive-playback.ts";
import { type Divergence, Playback } from "./playback.ts";
import type { CommittedChangeset } from "./read-changesets.ts";
import { recordedAgent } from "./recorded-agent.ts";
import type { RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";
import { createReplayServices } from "./replay-services.ts";
import { ReplayStore } from "./replay-store.ts";
import { ReplayWitness } from "./replay-witness.ts";
import { watchedAgent } from "./watched-agent.ts";

/**
 * - `verify`: nobody's code runs; hooks, reducers and rules answer from the recording. Says whether the recording is whole.
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
  readonly blobs: BlobStore;
  readonly mode: ReplayMode;
  /** Today's agents, for a replay that asks them. */
  readonly agents?: AgentSource;
  /** What a runtime brings beside, such as its way to count tokens. */
  readonly services?: Pick<Services, "tokens" | "limits">;
}

/** Runs a recorded run again, through the same loop, without a model, a tool or anything else that is outside. */
export async function replayRecording(recording: RunRecording, context: ReplayContext): Promise<ReplayResult> {
  const { run } = recording;
  const { mode, env } = context;
  assertReplayable(recording);
  const replay = new Replay(recording, context);
  const divergence = await replay.run();
  if (divergence === undefined) {
    const own = recording.changesets.filter(({ run_id }) => run_id !== null);
    const events = own.flatMap((changeset) => changeset.events).filter(({ run_id }) => run_id === run.run_id).length;
    const hash = env.hash(replay.texts.map((text) => env.hash(text)).join("\n"));
    return { run_id: run.run_id, mode, equal: true, versions: own.length, events, hash };
  }
  if (mode === "verify") assertMeaningful(recording, divergence, context);
  return { run_id: run.run_id, mode, equal: false, divergence };
}

function assertReplayable({ run, changesets }: RunRecording): void {
  if (run.termination_code === "error:buffer_lost") throw replayImpossible(run.run_id, "its store lost a part of it");
  const isKnown = changesets[0]?.changeset_id === `${run.run_id}-start`;
  if (!isKnown) throw replayImpossible(run.run_id, "its first commit is missing");
}

/** A difference means that a recording is damaged, unless something else explains it: then there is no answer. */
function assertMeaningful(recording: RunRecording, divergence: Divergence, { agents }: ReplayContext): void {
  const { run, definition, changesets } = recording;
  const pinned = new Set(changesets.flatMap((changeset) => rowOf(run, changeset)?.definition ?? []));
  if (pinned.size > 1 || (pinned.size === 1 && !pinned.has(definition.definition))) {
    const reason = agents === undefined ? "it was exported" : "it ran";
    throw replayImpossible(run.run_id, `its agent is another one than when ${reason}, so a difference says nothing`);
  }
  const last = changesets.at(-1);
  const isFailed = rowOf(run, last ?? divergedFrom())?.termination_code === "error";
  if (isFailed && divergence.version === last?.version) {
    throw replayImpossible(run.run_id, "it failed, by something that is not recorded");
  }
}

function divergedFrom(): never {
  throw new TypeError("a recording without changesets");
}

class Replay {
  readonly #recording: RunRecording;
  readonly #context: ReplayContext;
  readonly #store: ReplayStore;

  constructor(recording: RunRecording, context: ReplayContext) {
    this.#recording = recording;
    this.#context = context;
    this.#store = new ReplayStore(recording, context.env, { ignoresDefinition: context.mode === "reexecute" });
  }

  get texts(): readonly string[] {
    return this.#store.texts;
  }

  async run(): Promise<Divergence | undefined> {
    const difference = this.#begin();
    if (difference !== undefined) return difference;
    for (const part of splitRecording(this.#recording)) {
      const found = await this.#play(part);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #play(part: ReturnType<typeof splitRecording>[number]): Promise<Divergence | undefined> | Divergence | undefined {
    if (part.kind === "activation") return this.#activate(part.activation);
    if (part.kind === "closed") return this.#close(part.changeset);
    this.#store.apply(part.changeset);
    return undefined;
  }

  /** The first changeset, which is made when a run is accepted. */
  #begin(): Divergence | undefined {
    const { request, run, entry_id, closing, restore, changesets } = this.#recording;
    const [expected] = changesets;
    if (expected === undefined) throw replayImpossible(run.run_id, "nothing of it is recorded");
    const actual = composeStart({
      request,
      run_id: run.run_id,
      entry_id,
      thread: this.#store.thread,
      now: rowOf(run, expected)?.created_at ?? 0,
      ...(closing !== undefined && { closing }),
      ...(restore !== undefined && { restore }),
    });
    return at(expected, this.#store.compare(expected, actual));
  }

  /** One owner's work. */
  async #activate(activation: RecordedActivation): Promise<Divergence | undefined> {
    const { run, decisions, steering, definition, tenant } = this.#recording;
    const { env, mode, agents } = this.#context;
    const playback = new Playback(activation, { run, decisions, steering });
    const witness = new ReplayWitness(playback, { isAsking: mode === "reexecute" });
    const agent =
      mode === "reexecute" && agents !== undefined
        ? watchedAgent(agents.resolve(run.agent_id), witness)
        : recordedAgent(definition, { playback, witness });
    this.#store.playback = playback;
    const services = createReplayServices(this.#context, { store: this.#store.store, playback, agent });
    const row = this.#store.run;
    if (row === undefined) throw replayImpossible(run.run_id, "its first commit has no run");
    const { epoch, kind, entryId, isPoison } = activation;
    const claimed = isPoison ? { ...row, recoveries: Number.MAX_SAFE_INTEGER } : row;
    // Of an entry that woke a run nothing counts but its id.
    const entry = entryId === undefined ? {} : { entry: { entry_id: entryId } as NonNullable<Claim["entry"]> };
    const claim: Claim = {
      tenant,
      thread_id: run.thread_id,
      epoch,
      kind,
      owner: "replay",
      lease_until: 0,
      run: claimed,
      ...entry,
    };
    const { controller, loss, mail } = playback;
    const lease = {
      signal: controller.signal,
      lost: loss.signal,
      assertHeld: () => controller.signal.throwIfAborted(),
      mail,
      lendPlace: () => () => undefined,
      witness,
    };
    const work = activate(services, claim, { run: claimed }, lease);
    await drivePlayback(playback, witness, { env, activation: work });
    if (playback.impossible !== undefined) throw replayImpossible(run.run_id, playback.impossible);
    if (playback.divergence !== undefined || playback.isComplete) return playback.divergence;
    const { changeset } = playback.expected;
    return at(changeset, { what: "commit", index: 0, expected: changeset.changeset_id, actual: null });
  }

  /** The end of a run whose place another took: it is a part of that one's first changeset. */
  #close(changeset: CommittedChangeset): Divergence | undefined {
    const { run, openCalls } = this.#store;
    const expected = rowOf(this.#recording.run, changeset);
    if (run === undefined || expected === undefined) return undefined;
    const by = changeset.run_id ?? "";
    const closing = composeClosing({ run, calls: openCalls }, by, expected.updated_at);
    const calls = new Set(closing.messages.map(({ id }) => id));
    const own = {
      ...changeset,
      runs: [expected],
      calls: changeset.calls.filter(({ run_id }) => run_id === run.run_id),
      messages: changeset.messages.filter(({ id }) => calls.has(id)),
      events: changeset.events.filter(({ run_id }) => run_id === run.run_id),
    };
    return at(changeset, this.#store.compare(own, { ...own, ...closing, runs: [closing.run] }));
  }
}

function at({ version }: CommittedChangeset, difference: Difference | undefined): Divergence | undefined {
  return difference === undefined ? undefined : { version, ...difference };
}
