import { type DecisionVerb, type ErrorCode, RepriseError } from "@reprise/contracts";
import {
  type AcpEncodingOptions,
  type AcpFrame,
  type AcpQuestion,
  type AcpState,
  type AcpStopReason,
  decodeForm,
  decodePermission,
  encodeAcpEvent,
  PERMISSION_ANSWER,
  RPC_ERRORS,
  RpcError,
  type RpcPeer,
  readParams,
} from "@reprise/protocols/acp";
import type { RunHandle, TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";

/** How a turn ended. */
export type TurnEnd =
  | { readonly type: "stop"; readonly stopReason: AcpStopReason }
  | { readonly type: "failed"; readonly message: string; readonly code?: string }
  /** The run waits for an answer that the client has no form for. The next prompt is the answer. */
  | { readonly type: "asked"; readonly question: AcpQuestion };

export interface TurnOptions {
  readonly runtime: TenantRuntime;
  readonly peer: RpcPeer;
  readonly sessionId: string;
  readonly run: RunHandle;
  readonly state: AcpState;
  readonly encoding: AcpEncodingOptions;
  /** The client shows forms. */
  readonly hasForms: boolean;
}

/** Another person or process decided first, or the run is over. */
const STALE: readonly ErrorCode[] = ["DECISION_CONFLICT", "NOT_SUSPENDED", "RUN_NOT_ACTIVE"];

/** A run that is shown to a client: its events as updates, its questions and those of the runs below it as permission requests. */
export class Turn {
  readonly run: RunHandle;
  readonly #options: TurnOptions;
  readonly #asked = new Map<string, AbortController>();
  readonly #stop = new AbortController();
  #state: AcpState;
  #cursor: string | undefined;
  #end: TurnEnd | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.run = options.run;
    this.#state = options.state;
  }

  /** Shows the run until it ends, asks something that only the next prompt can answer, or `leave` is called. */
  async follow(): Promise<TurnEnd> {
    const { signal } = this.#stop;
    this.#end = undefined;
    const after = this.#cursor === undefined ? {} : { after: this.#cursor };
    try {
      for await (const { event, cursor } of this.run.eventsWithCursor({
        follow: true,
        signal,
        children: "events",
        ...after,
      })) {
        this.#cursor = cursor;
        const [next, frames] = encodeAcpEvent(this.#state, event, this.#options.encoding);
        this.#state = next;
        for (const frame of frames) await this.#show(frame);
        if (this.#end !== undefined) return this.#end;
      }
    } finally {
      for (const asked of this.#asked.values()) asked.abort(new Error("The turn is over."));
      this.#asked.clear();
    }
    signal.throwIfAborted();
    return this.#end ?? (await this.#endOutside());
  }

  /** Stops showing the run. It continues, or waits, without this client. */
  leave(reason: Error): void {
    this.#stop.abort(reason);
  }

  /** Takes the open questions back from the client. The run is still shown while it is at work. */
  stopAsking(): void {
    if (this.#asked.size > 0) this.leave(new Error("The next prompt supersedes the question."));
  }

  async cancel(): Promise<void> {
    await unlessStale(this.run.cancel("cancelled by the client"));
  }

  async #show(frame: AcpFrame): Promise<void> {
    const { peer, sessionId } = this.#options;
    switch (frame.type) {
      case "update":
        // An update is plain JSON; its interface hides it.
        return peer.notify("session/update", { sessionId, update: frame.update as unknown as Json });
      case "question":
        return this.#ask(frame.question);
      case "answered":
        this.#asked.get(frame.callId)?.abort(new Error("The call was decided."));
        this.#asked.delete(frame.callId);
        return;
      case "stop":
      case "failed":
        this.#end = frame;
        return;
      default:
        return frame satisfies never;
    }
  }

  /** A question of the past is not asked again: events are also read from the start. */
  async #ask(question: AcpQuestion): Promise<void> {
    const { runtime, hasForms } = this.#options;
    const open = await runtime.decisions.list({ runId: question.run_id });
    const isOpen = open.some(({ id, suspension }) => id === question.id && suspension === question.suspension);
    if (!isOpen) return;
    if (question.form !== undefined && !hasForms) {
      const text = `${question.form.message}\n`;
      await this.#show({
        type: "update",
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
      this.#end = { type: "asked", question };
      return;
    }
    const controller = new AbortController();
    this.#asked.set(question.id, controller);
    // Beside the events: other calls of the round continue meanwhile.
    void this.#answer(question, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) this.leave(unanswered(error));
    });
  }

  async #answer(question: AcpQuestion, signal: AbortSignal): Promise<void> {
    const { peer, sessionId } = this.#options;
    const { form, permission } = question;
    let verb: DecisionVerb | undefined;
    if (form !== undefined) {
      const params = { mode: "form", sessionId, toolCallId: question.id, ...form };
      verb = decodeForm(question, await peer.request("elicitation/create", params, { signal }));
    } else {
      // Plain JSON; its interface hides it.
      const params = { sessionId, ...permission } as unknown as Json;
      const answer = await peer.request("session/request_permission", params, { signal });
      verb = decodePermission(readParams(PERMISSION_ANSWER, answer).outcome);
    }
    await (verb === undefined ? this.cancel() : this.decide(question, verb));
  }

  /** What was shown is what is decided about, and nothing else. */
  async decide(question: AcpQuestion, verb: DecisionVerb): Promise<void> {
    const { id, run_id: runId, suspension, binding_hash: bindingHash } = question;
    await unlessStale(this.#options.runtime.decisions.decide(id, verb, { runId, suspension, bindingHash }));
  }

  /** A run that was taken from the queue, or given up, has no last event. */
  async #endOutside(): Promise<TurnEnd> {
    const outcome = await this.run.outcome();
    if (outcome.status === "failed") {
      const { error: message, code } = outcome;
      return { type: "failed", message, ...(code !== undefined && { code }) };
    }
    return { type: "stop", stopReason: outcome.status === "cancelled" ? "cancelled" : "end_turn" };
  }
}

async function unlessStale(done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!RepriseError.is(error) || !STALE.includes(error.code)) throw error;
  }
}

function unanswered(error: unknown): RpcError {
  const why = error instanceof Error ? error.message : String(error);
  return new RpcError(
    RPC_ERRORS.internal,
    `The client did not answer a question of the agent: ${why} The run waits; load the session to be asked again.`,
  );
}
