import {
  type ActionOf,
  describeThrown,
  type Phase,
  type PhaseContext,
  type PhaseContexts,
  RepriseError,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { NEVER, TimeIsUp, withTimeout } from "../effects/with-timeout.ts";
import { freezeDeep } from "../json/freeze-deep.ts";
import type { Owned } from "../resolve/resolved-agent.ts";
import type { AgentView, Host, RunView } from "../run/ports.ts";
import { applyCommonActions, type ChangeableRun } from "./apply-actions.ts";
import { type CountedRun, countInferences, takeInferences } from "./infer-for-plugin.ts";
import { activationKey, type ObservedRun, type PhaseMoment, PhaseView } from "./phase-view.ts";
import { takeScheduled } from "./scheduled-actions.ts";
import { type Answer, type Answers, decodeAnswers, encodeAnswers } from "./stored-answers.ts";

/** The parts of a run that its phases look at and change. */
export type PhaseRun = ObservedRun & ChangeableRun & Pick<AgentView, "plan"> & CountedRun;

/** What the hooks of a phase get beside what every hook gets. */
export type PhaseFacts<In extends Phase> = Omit<PhaseContexts[In], keyof PhaseContext>;

/** What is left for the loop to do once state, schedules and effects are taken care of. */
export type PhaseResult<In extends Phase> = readonly Owned<ActionOf<In>>[];

/** A hook whose phase is forgotten: which context it gets and what it may return is checked where it is known. */
type AnyHook = (context: object) => Answer | Promise<Answer>;

const NOTHING: readonly never[] = [];

/**
 * Asks every plugin that hooks a phase what should happen, all of them about the same frozen moment, and applies it in the
 * order of the plugins. A phase without hooks costs one table lookup. Waits only when a hook does.
 */
export function runPhase<In extends Phase>(
  workspace: PhaseRun,
  phase: In,
  facts?: PhaseFacts<In>,
  at?: string,
): PhaseResult<In> | Promise<PhaseResult<In>> {
  const { plan } = workspace;
  // A remote agent has its plugins where it runs.
  if (plan.kind !== "local") return NOTHING;
  const { installed } = plan.agent;
  const hooks = installed.hooks[phase];
  if (hooks === undefined && installed.scheduled.size === 0) return NOTHING;
  const key = at ?? phaseKey(workspace, phase);
  // All hooks see the same object, so it is frozen.
  if (facts !== undefined) freezeDeep(facts);
  const moment: PhaseMoment = { phase, key, now: workspace.now, document: workspace.document };
  const due = takeScheduled(workspace, phase);
  if (hooks === undefined && due.length === 0 && workspace.effects.loopVersion >= 2) return NOTHING;
  const views: PhaseView[] = [];
  const ask = (): Answers | Promise<Answers> => {
    const answers: (Owned<Answer> | Promise<Owned<Answer>>)[] = [];
    const pending = new Set<string>();
    const askOne = (plugin: string, hook: AnyHook, when: PhaseMoment = moment): void => {
      const view = new PhaseView(workspace, when, plugin, facts);
      views.push(view);
      answers.push(askHook(workspace, { phase, plugin }, () => hook(view), pending));
    };
    // A hook of a phase takes the view of that phase: the table and `facts` are of one phase by the signature.
    for (const { plugin, value } of hooks ?? NOTHING) askOne(plugin, value as unknown as AnyHook);
    for (const [index, { plugin, handle }] of due.entries())
      askOne(plugin, handle, { ...moment, key: `${key}-d${index}` });
    const withInferences = (given: readonly Owned<Answer>[]): Answers => ({
      given,
      inferences: takeInferences(workspace, key),
    });
    // None of them is a promise: just asked.
    if (!answers.some(isPromise)) return withInferences(answers as readonly Owned<Answer>[]);
    return waitForHooks(workspace, { phase, pending }, Promise.all(answers)).then(withInferences);
  };
  const encode = (answers: Answers): Json =>
    encodeAnswers(
      answers,
      key,
      views.flatMap((view) => view.recorded),
    );
  const given = workspace.effects.ask({ kind: "phase", of: key, encode, decode: decodeAnswers }, ask);
  const finish = (answers: Answers): PhaseResult<In> => {
    countInferences(workspace, answers.inferences);
    // Every action is found to be one of the phase's own.
    return applyCommonActions(workspace, phase, answers.given) as PhaseResult<In>;
  };
  return given instanceof Promise ? given.then(finish) : finish(given);
}

/** Also one of another making: what can be waited for is waited for. */
function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** A phase of a step is in its step, taken again or not; one of an activation is in that activation alone. */
function phaseKey(workspace: RunView, phase: Phase): string {
  const { run } = workspace;
  const isOfActivation = phase === "run_start" || phase === "run_end";
  return `${isOfActivation ? activationKey(workspace) : `${run.run_id}-s${run.steps}`}-${phase}`;
}

/** Asks one hook. One that throws fails the run: a rule that could not be asked must not be passed by. */
function askHook(
  workspace: RunView,
  { phase, plugin }: { readonly phase: Phase; readonly plugin: string },
  hook: () => Answer | Promise<Answer>,
  pending: Set<string>,
): Owned<Answer> | Promise<Owned<Answer>> {
  try {
    const answer = hook();
    if (!isPromise(answer)) return { plugin, value: answer };
    pending.add(plugin);
    const take = (value: Answer): Owned<Answer> => {
      pending.delete(plugin);
      return { plugin, value };
    };
    return answer.then(take, (error: unknown) => failPlugin(workspace, { phase, plugin }, error));
  } catch (error) {
    // Thrown where the others are awaited, so that a later rejection of theirs is handled.
    return Promise.reject(error).catch((thrown: unknown) => failPlugin(workspace, { phase, plugin }, thrown));
  }
}

/** Waits for the hooks of a phase under one time limit. One that never answers fails the run as one that throws does. */
async function waitForHooks<Value>(
  workspace: RunView & Host,
  { phase, pending }: { readonly phase: Phase; readonly pending: ReadonlySet<string> },
  answers: Promise<Value>,
): Promise<Value> {
  const { env, limits } = workspace.services;
  // A run that is being ended must hear its plugins out, though not for ever.
  const outer = phase === "run_end" ? NEVER : workspace.signal;
  try {
    return await withTimeout(env.clock, outer, limits.hookTimeoutMs, () => answers);
  } catch (error) {
    const [plugin = ""] = pending;
    if (error instanceof TimeIsUp) failPlugin(workspace, { phase, plugin }, error);
    throw error;
  }
}

function failPlugin(
  workspace: RunView,
  { phase, plugin }: { readonly phase: Phase; readonly plugin: string },
  error: unknown,
): never {
  workspace.signal.throwIfAborted();
  // Ours, about the plugin. Anything else that looks like an error of the runtime would be taken for one.
  if (RepriseError.is(error, "INVALID_ACTION")) throw error;
  throw new RepriseError("PLUGIN_FAILED", `Plugin ${plugin} failed in ${phase}: ${describeThrown(error)}`, {
    cause: error,
    details: { plugin, phase },
  });
}
