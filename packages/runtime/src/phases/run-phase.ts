import { type ActionOf, type Phase, type PhaseAction, type PhaseContexts, RepriseError } from "@reprise/contracts";
import type { RunWorkspace } from "../loop/run-workspace.ts";
import type { Owned } from "../resolve/resolved-agent.ts";
import { describeThrown } from "../tools/describe-thrown.ts";
import { withTimeout } from "../tools/with-timeout.ts";
import { applyCommonActions } from "./apply-actions.ts";
import { type PhaseMoment, PhaseView } from "./phase-view.ts";
import { takeScheduled } from "./scheduled-actions.ts";

/** What the hooks of a phase get beside what every hook gets. */
export type PhaseFacts<In extends Phase> = Omit<PhaseContexts[In], keyof PhaseContexts["run_start"]>;

/** What is left for the loop to do once state, schedules and effects are taken care of. */
export type PhaseResult<In extends Phase> = readonly Owned<ActionOf<In>>[];

/** A hook whose phase is forgotten: which context it gets and what it may return is checked where it is known. */
type AnyHook = (context: object) => Answer | Promise<Answer>;
type Answer = readonly PhaseAction[] | undefined;

const NOTHING: readonly never[] = [];

/**
 * Asks every plugin that hooks a phase what should happen, all of them about the same frozen moment, and applies it in the
 * order of the plugins. A phase nobody hooks costs a look into a table. Waits only when a hook does.
 */
export function runPhase<In extends Phase>(
  workspace: RunWorkspace,
  phase: In,
  facts?: PhaseFacts<In>,
  place: string = placeOf(workspace, phase),
): PhaseResult<In> | Promise<PhaseResult<In>> {
  const { env } = workspace.agent;
  const hooks = env.hooks[phase];
  if (hooks === undefined && env.scheduled.size === 0) return NOTHING;
  const moment: PhaseMoment = { phase, place, now: workspace.now, document: workspace.document };
  const answers: (Owned<Answer> | Promise<Owned<Answer>>)[] = [];
  const views: PhaseView[] = [];
  const ask = (plugin: string, hook: AnyHook): void => {
    const view = new PhaseView(workspace, moment, plugin, facts);
    views.push(view);
    answers.push(askHook(workspace, phase, plugin, () => hook(view)));
  };
  // A hook of a phase takes the view of that phase: the table and `facts` are of one phase by the signature.
  for (const { plugin, value } of hooks ?? NOTHING) ask(plugin, value as unknown as AnyHook);
  for (const { plugin, handle } of takeScheduled(workspace, phase)) ask(plugin, handle);
  const finish = (given: readonly Owned<Answer>[]): PhaseResult<In> => {
    for (const view of views) if (view.recorded.length > 0) workspace.keepRecordings(view.recorded);
    // Every action was found to be one of the phase's own.
    return applyCommonActions(workspace, phase, given) as PhaseResult<In>;
  };
  if (answers.some(isPromise)) return Promise.all(answers).then(finish);
  // None of them is a promise: just asked.
  return finish(answers as readonly Owned<Answer>[]);
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise;
}

function placeOf({ run }: RunWorkspace, phase: Phase): string {
  return `${run.run_id}-s${run.steps}-${phase}`;
}

/** Asks one hook. One that throws, or never answers, fails the run: a rule that could not be asked must not be passed by. */
function askHook(
  workspace: RunWorkspace,
  phase: Phase,
  plugin: string,
  hook: () => Answer | Promise<Answer>,
): Owned<Answer> | Promise<Owned<Answer>> {
  const fail = (error: unknown): never => {
    workspace.signal.throwIfAborted();
    if (RepriseError.is(error)) throw error;
    throw new RepriseError("PLUGIN_FAILED", `Plugin ${plugin} failed in ${phase}: ${describeThrown(error)}`, {
      cause: error,
      details: { plugin, phase },
    });
  };
  try {
    const answer = hook();
    if (!isPromise(answer)) return { plugin, value: answer };
    const { clock } = workspace.services.env;
    const { hookTimeoutMs } = workspace.services.limits;
    // A run that is being ended must hear its plugins out, though not for ever.
    const outer = phase === "run_end" ? NEVER : workspace.signal;
    return withTimeout(clock, outer, hookTimeoutMs, () => answer).then((value) => ({ plugin, value }), fail);
  } catch (error) {
    return fail(error);
  }
}

const NEVER = new AbortController().signal;
