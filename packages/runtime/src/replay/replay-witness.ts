import type { CheckedInput } from "@reprise/contracts";
import { getAt, type Json, type Op, type Patch } from "@reprise/state";
import type { ExecutedCall } from "../tools/execute-call.ts";
import type { Turn, TurnOptions } from "../turn/turn.ts";
import { decodeFailure } from "./failure.ts";
import { NOTE } from "./notes.ts";
import { playTurn } from "./play-turn.ts";
import type { Playback } from "./playback.ts";
import { doneIn, playedCall } from "./played-call.ts";
import type { ExecutionPlace, StateChange, TurnPlace, Witness } from "./witness.ts";

const nothing = (): void => undefined;

/** Stands for the world in a replay: hands back what was noted, and asks nobody. */
export class ReplayWitness implements Witness {
  readonly isLive: boolean = false;
  readonly isAsking: boolean;
  readonly answered: () => void = nothing;
  readonly hookFailed: () => void = nothing;
  readonly stopSaid: () => void = nothing;
  readonly toolsHidden: () => void = nothing;
  readonly commitRefused: () => void = nothing;
  readonly putBack: () => void = nothing;
  /** The phase that is asked about, and how many of its hooks were. */
  phase = "";
  asked = 0;
  /** Author's code that is at work: while there is some, nothing has stalled. */
  pending = 0;
  readonly #playback: Playback;

  constructor(playback: Playback, { isAsking }: { readonly isAsking: boolean }) {
    this.#playback = playback;
    this.isAsking = isAsking;
  }

  now(): number {
    return this.#playback.expected.now();
  }

  isPast(callId: string): boolean {
    return this.#playback.isExpiryDue(callId);
  }

  activeMs(): number {
    const noted = this.#playback.note(NOTE.clock, "active_ms");
    return typeof noted === "number" ? noted : 0;
  }

  tick(place?: string): void {
    if (place !== undefined) {
      this.phase = place;
      this.asked = 0;
    }
    this.#playback.tick();
  }

  shown(): void {
    this.#playback.noteShown();
  }

  held(): void {
    this.#playback.noteHeld();
    // The run looks for decisions right after a result: those that it found then must be there.
    if (this.#playback.isDecisionDue) this.#playback.mail.raise();
  }

  mark(): void {
    this.#playback.noteMark();
  }

  async check(callId: string, ask: () => Promise<CheckedInput>): Promise<CheckedInput> {
    const noted = this.#playback.note(NOTE.call(callId), "check");
    if (this.isAsking) return this.#while(ask);
    if (noted === undefined) return { ok: true, input: undefined };
    const failed = getAt(noted, ["failed"]);
    if (failed !== undefined) throw decodeFailure(failed);
    return { ok: false, problem: String(getAt(noted, ["problem"])) };
  }

  async needsApproval(callId: string, ask: () => Promise<boolean>): Promise<boolean> {
    const noted = this.#playback.note(NOTE.call(callId), "approval");
    if (this.isAsking) return this.#while(ask);
    const failed = noted === undefined ? undefined : getAt(noted, ["failed"]);
    if (failed !== undefined) throw decodeFailure(failed);
    return noted !== undefined;
  }

  async turn(place: TurnPlace, options: TurnOptions): Promise<Turn> {
    this.tick();
    try {
      return await playTurn(this.#playback, place, options);
    } finally {
      // Somebody may have spoken to the run meanwhile.
      this.#playback.mail.raise();
      this.tick();
    }
  }

  /** Waits until the call's recorded end is due; one that never ended waits until it is stopped. */
  async execute(place: ExecutionPlace): Promise<ExecutedCall> {
    const playback = this.#playback;
    const { call, signal } = place;
    const cancelled = playback.controller.signal;
    try {
      await new Promise<void>((resolve, reject) => {
        // One that had just finished was not stopped any more; one that had no place yet never began.
        const stop = (): void => {
          if (playback.loss.signal.aborted || !playback.willEnd(call.call_id))
            reject(cancelled.reason ?? signal.reason);
        };
        for (const each of [signal, cancelled]) each.addEventListener("abort", stop, { once: true });
        playback.waiting.set(call.call_id, { place, finish: resolve });
        if (signal.aborted || cancelled.aborted) stop();
      });
    } finally {
      playback.waiting.delete(call.call_id);
    }
    const done = doneIn(playback.expected, call.call_id);
    // Only one whose changes conflicted ends without a result; what it was is not kept.
    return playedCall(place, playback.expected, done ?? conflicting(call.call_id));
  }

  settled(): void {
    this.#playback.unsettled = undefined;
    this.tick();
  }

  /** A reducer of today never rewrites history: what was recorded at this place is what it came to. */
  reduce({ source, index, path }: StateChange, run: () => Patch): Patch {
    if (this.isAsking) return run();
    const failed = this.#playback.note(NOTE.reduce, String(index));
    if (failed !== undefined) throw decodeFailure(failed);
    const patch = this.#playback.expected.changeset.patches[index];
    const isHere = ({ path: changed }: Op): boolean => path.every((segment, place) => changed[place] === segment);
    return { ops: patch?.source === source && patch.ops.every(isHere) ? patch.ops : [] };
  }

  rebase(callId: string, { state }: ExecutedCall): readonly Op[] {
    this.#playback.unsettled = undefined;
    const conflict = this.#playback.note(NOTE.call(callId), "conflict");
    if (conflict !== undefined) throw decodeFailure(conflict);
    return state.ops;
  }

  async record<Value extends Json>(place: string, name: string): Promise<Value> {
    const noted = this.#playback.note(place, name);
    if (noted === undefined) throw new Error(`Nothing was recorded as ${name} here.`);
    // What is recorded under a name is what was recorded under it: the author's code knows its type.
    return noted as Value;
  }

  take(): readonly never[] {
    return [];
  }

  /** Has author's code at work counted. */
  async #while<Value>(ask: () => Promise<Value>): Promise<Value> {
    this.pending += 1;
    try {
      return await ask();
    } finally {
      this.pending -= 1;
    }
  }
}

function conflicting(callId: string): Parameters<typeof playedCall>[2] {
  const result = { tool_name: "", status: "success", data: null, message: null, metadata: {} } as const;
  const data = { id: callId, result, message_id: "", outcome: "succeeded" } as const;
  return { type: "tool_call_done", run_id: "", thread_id: "", seq: 0, timestamp_ms: 0, data };
}
