import { type AgentEvent, continuesByItself, type SuspendTicket } from "@reprise/contracts";

/** A call of a run, or of a run below it, that waits for a person. */
export interface TreeQuestion {
  /** The id of the call: a decision names it as its `target_id`. */
  readonly id: string;
  readonly run_id: string;
  /** The position of the question in the log of its run, where it is known. */
  readonly seq?: number;
  readonly ticket: SuspendTicket;
  readonly suspension: number;
  readonly binding_hash: string;
  readonly expires_at?: number;
}

/** The questions that are open after an event of the tree. Calls that wait for a run or for a time ask no one. Pure. */
export function advanceQuestions(open: readonly TreeQuestion[], event: AgentEvent): readonly TreeQuestion[] {
  switch (event.type) {
    case "tool_call_done": {
      const { id, suspended } = event.data;
      const others = without(open, (question) => question.id === id);
      if (suspended === undefined || continuesByItself(suspended)) return others;
      return [
        ...others,
        { id, run_id: event.run_id, ...(event.seq !== undefined && { seq: event.seq }), ...suspended },
      ];
    }
    case "tool_call_resumed":
      return without(open, ({ id }) => id === event.data.target_id);
    case "run_finish":
      if (event.data.termination.type === "suspended") return open;
      return without(open, ({ run_id }) => run_id === event.run_id);
    case "stream_reset": {
      // The question was never stored.
      const { from_seq } = event.data;
      return without(open, ({ run_id, seq }) => run_id === event.run_id && (seq === undefined || seq > from_seq));
    }
    default:
      return open;
  }
}

function without(open: readonly TreeQuestion[], isGone: (question: TreeQuestion) => boolean): readonly TreeQuestion[] {
  return open.some(isGone) ? open.filter((question) => !isGone(question)) : open;
}
