import type { AgentEvent, EventLineage } from "@reprise/contracts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import {
  type AgUiEncoded,
  type AgUiState,
  INITIAL_AG_UI_STATE,
  type OpenCall,
  type Subagent,
} from "./encoder-state.ts";

/** What is done with the events of any run. */
export interface RunMoves {
  readonly advance: (state: AgUiState, event: AgentEvent) => AgUiEncoded;
  /** Closes a step and keeps the calls that wait. */
  readonly closeStep: (state: AgUiState) => AgUiEncoded;
  /** Closes a step and gives up the calls without a result. */
  readonly endStep: (state: AgUiState) => AgUiEncoded;
}

/** An event of a run below, with what `advance` makes of it for a run of its own. */
export function encodeSubagentEvent(
  state: AgUiState,
  event: AgentEvent & { readonly lineage: EventLineage },
  { advance, closeStep, endStep }: RunMoves,
): AgUiEncoded {
  const known = subagentOf(state, event.run_id) ?? { state: INITIAL_AG_UI_STATE, started: 0, isOpen: false };
  const isEnd = event.type === "run_finish";
  const close = isEnd && event.data.termination.type === "suspended" ? closeStep : endStep;
  const [inner, told] = isEnd ? close(known.state) : advance(known.state, event);
  // The state of a thread below is not the one that the client shares.
  const shown = told.filter(({ type }) => type !== "STATE_DELTA");
  if (shown.length === 0 && !isEnd) return [put(state, event.run_id, { ...known, state: inner }), []];
  const opened = known.isOpen ? known : { ...known, started: known.started + 1, isOpen: true };
  const id = shownIdOf(event.run_id, opened);
  const events = shown.map((each): AgUiEvent => ({ ...each, subagentRunId: id }));
  if (!known.isOpen) events.unshift(started(state, event.lineage, id));
  const end = isEnd ? endOf(event, inner, id) : undefined;
  if (end !== undefined) events.push(end);
  const next = { ...opened, state: inner, isOpen: end === undefined };
  // Nothing was shown of it, and nothing is to be.
  if (isEnd && end === undefined && !known.isOpen) return [put(state, event.run_id, { ...known, state: inner }), []];
  return [put(state, event.run_id, next), events];
}

/** The calls of the run and of the runs below it, for the outcome. */
export function allCalls({ calls, subagents }: AgUiState): Readonly<Record<string, OpenCall>> {
  const below = Object.entries(subagents).flatMap(([runId, { state, ...subagent }]) => {
    const subagentRunId = shownIdOf(runId, subagent);
    return Object.entries(state.calls).map(([id, call]): readonly [string, OpenCall] => {
      const { waits } = call;
      return [id, typeof waits === "object" ? { ...call, waits: { ...waits, subagentRunId } } : call];
    });
  });
  return below.length === 0 ? calls : { ...calls, ...Object.fromEntries(below) };
}

/** Clients refuse the end of a run with a run below open. One that continues begins once more, under another id. */
export function closeSubagents(state: AgUiState, closeStep: RunMoves["closeStep"]): AgUiEncoded {
  const open = Object.entries(state.subagents).filter(([, { isOpen }]) => isOpen);
  if (open.length === 0) return [state, []];
  let next = state;
  const events = open.flatMap(([runId, subagent]): readonly AgUiEvent[] => {
    const [inner, told] = closeStep(subagent.state);
    const subagentRunId = shownIdOf(runId, subagent);
    next = put(next, runId, { ...subagent, state: inner, isOpen: false });
    const closed = told.map((each): AgUiEvent => ({ ...each, subagentRunId }));
    return [...closed, { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "suspended" } }];
  });
  return [next, events];
}

function started(state: AgUiState, { parent_run_id, call_id, agent_id }: EventLineage, id: string): AgUiEvent {
  const parent = subagentOf(state, parent_run_id);
  return {
    type: "SUBAGENT_STARTED",
    subagentRunId: id,
    name: agent_id,
    parentToolCallId: call_id,
    ...(parent?.isOpen === true && { parentSubagentRunId: shownIdOf(parent_run_id, parent) }),
  };
}

/** Undefined for a run that waits without asking a person: it continues by itself. */
function endOf(
  event: Extract<AgentEvent, { type: "run_finish" }>,
  inner: AgUiState,
  subagentRunId: string,
): AgUiEvent | undefined {
  const { termination, result } = event.data;
  switch (termination.type) {
    case "suspended": {
      const waits = Object.values(inner.calls).flatMap(({ waits: each }) => (each === undefined ? [] : [each]));
      const interruptIds = waits.flatMap((each) => (typeof each === "object" ? [each.id] : []));
      if (waits.every((each) => each === "run")) return undefined;
      const asked = interruptIds.length === 0 ? {} : { interruptIds };
      return { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "suspended", ...asked } };
    }
    case "error":
      return { type: "SUBAGENT_ERROR", subagentRunId, message: termination.value, code: termination.code ?? "ERROR" };
    case "cancelled":
      return { type: "SUBAGENT_ERROR", subagentRunId, message: "Run cancelled", code: "CANCELLED" };
    default:
      return {
        type: "SUBAGENT_FINISHED",
        subagentRunId,
        ...(result !== undefined && { result }),
        outcome: { type: "success" },
      };
  }
}

/** An id is used once in a run of the client's. */
function shownIdOf(runId: string, { started: count }: Pick<Subagent, "started">): string {
  return count <= 1 ? runId : `${runId}~${count}`;
}

function subagentOf({ subagents }: AgUiState, runId: string): Subagent | undefined {
  return Object.hasOwn(subagents, runId) ? subagents[runId] : undefined;
}

function put(state: AgUiState, runId: string, subagent: Subagent): AgUiState {
  return { ...state, subagents: { ...state.subagents, [runId]: subagent } };
}
