import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";

/** A suspended call: its tool, when it was suspended, what it asks for, and its span. */
export interface SuspendedCall {
  readonly name: string;
  readonly at: number;
  readonly action?: string;
  readonly traceparent?: string;
}

/** The trace of a run, kept for the process that continues it. */
export interface TraceState {
  /** The span of the first activation: later ones are below it. */
  readonly first?: string;
  /** The span of the last activation: the next one links to it. */
  readonly last?: string;
  readonly suspended: Readonly<Record<string, SuspendedCall>>;
}

interface SuspendInput {
  readonly callId: string;
  readonly call: SuspendedCall;
}

type TraceActions = { begin: [span: string]; suspend: [input: SuspendInput] };

/** Below `__`, where the runtime keeps its own: a trace is nothing that clients show. */
export const traceState: StateDefinition<TraceState> & ActionCreators<TraceActions> = defineState({
  path: "__observability",
  scope: "run",
  initial: (): TraceState => ({ suspended: {} }),
  actions: {
    begin: (state, span: string): TraceState => ({ ...state, first: state.first ?? span, last: span }),
    suspend: (state, { callId, call }: SuspendInput): TraceState => ({
      ...state,
      suspended: { ...state.suspended, [callId]: call },
    }),
  },
});
