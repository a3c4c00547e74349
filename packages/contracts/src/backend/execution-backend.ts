import type { Json } from "@reprise/state";
import type { AgentSpec } from "../agent/agent-spec.ts";
import type { Decision } from "../decision/decision.ts";
import type { SuspendOptions } from "../decision/suspend-ticket.ts";
import type { Egress } from "../env/egress.ts";
import type { EventData } from "../event/event-data.ts";
import type { Message } from "../message/message.ts";
import type { LoadedFile } from "../model/model.ts";
import type { Termination } from "../run/termination.ts";

/** A run that a backend works on. */
export interface BackendRun {
  /** Stays the same when the run is continued after a decision or a crash. A backend continues the work of a known id instead of starting it again. */
  readonly runId: string;
  readonly threadId: string;
  readonly messages: readonly Message[];
  /** Decisions about this run's questions since it was suspended. A decision may be delivered again after a crash. */
  readonly decisions: readonly BackendDecision[];
  /** Aborted when this process stops waiting. Another worker may still continue the run; only `cancel` ends it. */
  readonly signal: AbortSignal;
  /** Streams a piece of the agent's text. */
  readonly showText: (delta: string) => void;
  /** Streams something else that the agent does. It is shown, and not a part of the thread. */
  readonly show: (event: BackendEvent) => void;
  readonly notes: BackendNotes;
  /** Sends requests to other machines, where the platform has a way that is safe. */
  readonly egress?: Egress;
  /** Reads the bytes of a file that a message names by `blob:` or `media:`. */
  readonly load: (url: string) => Promise<LoadedFile>;
}

/** A run that ended here before its work elsewhere did. */
export type EndedBackendRun = Pick<BackendRun, "runId" | "threadId" | "notes" | "egress">;

/**
 * Small notes that a backend keeps about a run or about the thread of an agent, such as the ids that the other service gave. A note is
 * durable once `save` resolves, and every process can load it. Notes are no part of a run's recording.
 */
export interface BackendNotes {
  load(of: "run" | "thread"): Promise<Json | undefined>;
  save(of: "run" | "thread", note: Json): Promise<void>;
}

/** Something that a remote agent does: its reasoning, its tool calls, its activities. Ids of calls are the backend's. */
export type BackendEvent =
  | { readonly type: "reasoning_delta"; readonly data: EventData["reasoning_delta"] }
  | { readonly type: "tool_call_start"; readonly data: EventData["tool_call_start"] }
  | { readonly type: "tool_call_ready"; readonly data: EventData["tool_call_ready"] }
  | {
      readonly type: "tool_call_done";
      readonly data: Pick<EventData["tool_call_done"], "id" | "result"> & { readonly outcome: "succeeded" | "failed" };
    }
  | { readonly type: "activity_snapshot"; readonly data: EventData["activity_snapshot"] };

/** A question that the remote agent needs answered before it can continue. */
export interface BackendQuestion extends Pick<SuspendOptions, "message" | "responseSchema" | "expiresInMs"> {
  /** The backend's id for the question. The decision about it has the same id. */
  readonly id: string;
  /** The kind of question: `approval`, or a word of your own. */
  readonly action: string;
  /** The subject of the question, shown to the person who decides and returned to the backend with the decision. */
  readonly parameters?: Json;
}

/** A decision about a question of a backend. */
export interface BackendDecision extends Pick<Decision, "action" | "arguments" | "result" | "reason"> {
  readonly decisionId: string;
  readonly questionId: string;
  readonly parameters: Json;
}

/** Runs agents that live in another service. */
export interface ExecutionBackend {
  /** Matches the `backend` of an agent's endpoint. */
  readonly id: string;
  /** Checks an endpoint. Returns the problem, or undefined when the endpoint is fine. */
  check(agent: AgentSpec): string | undefined;
  /** Works on a run until it ends or waits for decisions. */
  run(agent: AgentSpec, run: BackendRun): Promise<BackendOutcome>;
  /** Ends a run that was cancelled or superseded, running or waiting. May be called more than once. */
  cancel?(agent: AgentSpec, run: EndedBackendRun): Promise<void>;
  /** Ends what the backend holds, such as processes. Called when the runtime closes. */
  close?(): Promise<void>;
}

export interface BackendOutcome {
  /** `suspended` needs questions; every other termination ends the run. */
  readonly termination: Termination;
  readonly text: string;
  /** All questions that are open now. An earlier question that is missing here is withdrawn. */
  readonly questions?: readonly BackendQuestion[];
}
