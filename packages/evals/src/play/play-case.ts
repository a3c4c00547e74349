import {
  type Decision,
  type DecisionVerb,
  type Env,
  emptyChangeset,
  RepriseError,
  type RunRequest,
  type StoredChangeset,
} from "@reprise/contracts";
import {
  createRuntime,
  type Definitions,
  type Limits,
  type RunOutcome,
  type RunRecording,
  type Runtime,
  readScript,
  replayExport,
} from "@reprise/runtime";
import { type Json, ops } from "@reprise/state";
import { createMemoryStoreWithBlobs } from "@reprise/stores/memory";
import type { EvalCase } from "../case/eval-case.ts";
import { type ObservedRun, observeRecording, observeRun } from "../check/observe-run.ts";
import type { EvalMode } from "./eval-mode.ts";
import { type LivePermissions, type PlayCounts, PlayedWorld, type PlayNote } from "./played-world.ts";
import { withSilentProviders } from "./silent-provider.ts";

export interface PlayOptions {
  readonly mode: EvalMode;
  /** Today's agents, with everything they need. `verify` needs none of it but programs. */
  readonly definitions: Definitions;
  readonly env: Env;
  /** Another agent than the recorded one. */
  readonly agent?: string;
  readonly live?: Partial<LivePermissions>;
  readonly limits?: Partial<Limits>;
  /** Approves what nobody was asked about, to see what comes after it: only where tools are recorded. True unless given. */
  readonly approves?: boolean;
  readonly signal?: AbortSignal;
}

/** What playing a case came to. */
export interface PlayedRun {
  readonly run: ObservedRun;
  readonly notes: readonly PlayNote[];
  readonly counts: PlayCounts;
  /** Of everything that was compared, in `verify`; undefined where a replay differed. */
  readonly hash?: string;
  /** Where a replay differed. */
  readonly divergence?: Json;
}

type Playable = Pick<EvalCase, "id" | "source" | "recording">;

/** Plays a recording once. The loop, its port and its dispatcher are those of every run; only the answers are from elsewhere. */
export async function playCase(playable: Playable, options: PlayOptions): Promise<PlayedRun> {
  return options.mode === "verify" ? verify(playable, options) : play(playable, options.mode, options);
}

const NO_CALLS: PlayCounts = { model_calls: 0, tool_calls: 0, recorded_answers: 0, recorded_results: 0 };

async function verify({ recording }: Playable, { definitions, env }: PlayOptions): Promise<PlayedRun> {
  const { programs } = definitions;
  const result = await replayExport(recording, { env, ...(programs !== undefined && { programs }) });
  const played = { run: observeRecording(recording), notes: [], counts: NO_CALLS };
  if (result.equal) return { ...played, hash: result.hash };
  // A divergence is JSON, which its interface hides.
  return { ...played, divergence: JSON.parse(JSON.stringify(result.divergence)) as Json };
}

async function play(
  { id, source, recording }: Playable,
  mode: Exclude<EvalMode, "verify">,
  options: PlayOptions,
): Promise<PlayedRun> {
  const script = readScript(recording);
  assertPlayable(id, recording, script.unplayable);
  const { run, tenant } = recording;
  const { reads = false, writes = false } = options.live ?? {};
  const isCut = source.cut_before_step !== undefined;
  const world = new PlayedWorld(script, { mode, isCut, live: { reads, writes } });
  const env = mode === "live" ? options.env : asOf(options.env, run.created_at);
  const store = createMemoryStoreWithBlobs(env);
  const runtime = await createRuntime({
    ...(mode === "rescript" ? withSilentProviders(options.definitions) : options.definitions),
    store,
    blobs: store.blobs,
    env,
    tenant,
    recordedWorld: world,
    ...(options.limits !== undefined && { limits: options.limits }),
  });
  try {
    await seed(store.forTenant(tenant), recording, env);
    const handle = await runtime.submit(requestOf(recording, options.agent));
    const stop = (): void => void handle.cancel("The evaluation was stopped.").catch(() => undefined);
    options.signal?.addEventListener("abort", stop, { once: true });
    await drive(runtime, world, {
      approves: options.approves ?? mode !== "live",
      outcome: () => handle.outcome(),
    });
    options.signal?.removeEventListener("abort", stop);
    world.finish();
    const changesets = await readAll(runtime, run.thread_id, run.run_id);
    const played = observeRun(await handle.record(), recording.base.state, changesets);
    return { run: played, notes: world.notes, counts: world.counts };
  } finally {
    await runtime.close();
    await store.close();
  }
}

const WHY_UNPLAYABLE: Readonly<Record<string, string>> = {
  backend: "its agent ran elsewhere",
  delegate: "its agent is made of other agents",
  files: "a model made files in it",
  work: "a program ran it instead of a model",
};

function assertPlayable(id: string, { run, request, closing, restore }: RunRecording, kinds: readonly string[]): void {
  const [kind] = kinds;
  const why =
    kind !== undefined
      ? WHY_UNPLAYABLE[kind]
      : request.policy?.by_hand !== undefined
        ? "its call was made by hand"
        : closing !== undefined
          ? "it took the place of a run that waited"
          : restore !== undefined
            ? "it began by going back"
            : undefined;
  if (why === undefined) return;
  const message = `Case ${id} can only be verified: run ${run.run_id} cannot be played to another agent, because ${why}.`;
  throw new RepriseError("EVAL_NOT_PLAYABLE", message, { details: { case_id: id, run_id: run.run_id } });
}

/** The same world at the time of the recording, so that rules about time decide as they would have. */
function asOf(env: Env, time: number): Env {
  const shift = time - env.clock.now();
  return {
    ids: env.ids,
    clock: {
      now: () => env.clock.now() + shift,
      mono: () => env.clock.mono(),
      sleep: (ms, signal, options) => env.clock.sleep(ms, signal, options),
      after: (ms, callback) => env.clock.after(ms, callback),
    },
    random: () => env.random(),
    hash: (content) => env.hash(content),
    yield: () => env.yield(),
    log: env.log,
    point: () => undefined,
    ...(env.egress !== undefined && { egress: env.egress }),
  };
}

type PlayStore = ReturnType<ReturnType<typeof createMemoryStoreWithBlobs>["forTenant"]>;

/** The thread as it was before the run. */
async function seed(store: PlayStore, { run, base }: RunRecording, env: Env): Promise<void> {
  const { thread_id, resource_id } = run;
  await store.createThread({ thread_id, ...(resource_id !== undefined && { resource_id }), metadata: {} });
  const state = typeof base.state === "object" && base.state !== null ? Object.entries(base.state) : [];
  if (state.length === 0 && base.messages.length === 0) return;
  const patch = {
    id: "recorded-state",
    source: "external",
    ops: state.map(([key, value]) => ops.set([key], value as Json)),
    timestamp_ms: env.clock.now(),
  };
  const changeset = {
    ...emptyChangeset(thread_id, null, "recorded"),
    reasons: ["external_patch"] as const,
    messages: base.messages,
    patches: state.length === 0 ? [] : [patch],
  };
  await store.commit(changeset, { expected: 0, epoch: null });
}

/** The request without what was found out when it was accepted. The budget is that of today's agent. */
function requestOf({ run, request }: RunRecording, agent: string | undefined): RunRequest {
  const { frontend_tools, context, state, removed_state, messages, overrides, metadata, policy, origin } = request;
  const { budget: _budget, ...lists } = policy ?? {};
  return {
    agent_id: agent ?? request.agent_id,
    thread_id: run.thread_id,
    run_id: run.run_id,
    messages,
    ...(run.resource_id !== undefined && { resource_id: run.resource_id }),
    ...(origin !== undefined && { origin }),
    ...(frontend_tools !== undefined && { frontend_tools }),
    ...(context !== undefined && { context }),
    ...(state !== undefined && { state }),
    ...(removed_state !== undefined && { removed_state }),
    ...(overrides !== undefined && { overrides }),
    ...(metadata !== undefined && { metadata }),
    ...(Object.keys(lists).length > 0 && { policy: lists }),
  };
}

interface Driven {
  readonly approves: boolean;
  outcome(): Promise<RunOutcome>;
}

/** Sees the run through, with the recorded decisions. */
async function drive(runtime: Runtime, world: PlayedWorld, { approves, outcome }: Driven): Promise<void> {
  for (let state = await outcome(); state.status === "waiting"; state = await outcome()) {
    let isDecided = false;
    for (const { id, tool_id: tool, arguments: given, ticket } of state.open) {
      const recorded = world.decisionAbout(tool, given);
      const about = { tool, arguments: given };
      const isApproval = ticket?.resume_mode === "replay_tool_call" && !tool.includes("/");
      if (recorded === undefined && isApproval && approves)
        world.note("asked", `A person is asked about ${tool}.`, about);
      const verb = recorded === undefined ? (isApproval && approves ? APPROVE : undefined) : verbOf(recorded);
      if (verb === undefined) {
        world.note("unanswered", `A question about ${tool} has no recorded answer.`, about);
        continue;
      }
      isDecided = true;
      await runtime.decisions.decide(id, verb);
    }
    // Waiting is how it ends then.
    if (!isDecided) return;
  }
}

const APPROVE: DecisionVerb = { action: "approve" };

function verbOf({ action, arguments: given, result, reason, remember }: Decision): DecisionVerb {
  const said = {
    ...(reason !== undefined && { reason }),
    ...(remember !== undefined && { remember }),
  };
  if (action === "cancel") return { action: "deny", ...said };
  if (result !== undefined) return { action: "supply", result, ...(reason !== undefined && { reason }) };
  return given === undefined ? { action: "approve", ...said } : { action: "edit", arguments: given, ...said };
}

const CHANGESETS_AT_ONCE = 100;

async function readAll(runtime: Runtime, threadId: string, runId: string): Promise<readonly StoredChangeset[]> {
  const all: StoredChangeset[] = [];
  for (let after = 0; ; ) {
    const page = await runtime.threads.changesets(threadId, { after, limit: CHANGESETS_AT_ONCE });
    all.push(...page.filter(({ run_id }) => run_id === runId));
    const last = page.at(-1);
    if (last === undefined) return all;
    after = last.version;
  }
}
