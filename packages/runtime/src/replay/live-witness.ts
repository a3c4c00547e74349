import type { CheckedInput, Env, PhaseAction, Recording } from "@reprise/contracts";
import type { Json, Op, Patch } from "@reprise/state";
import { RunCancelled } from "../dispatcher/outcomes.ts";
import type { ExecutedCall } from "../tools/execute-call.ts";
import { runTurn } from "../turn/run-turn.ts";
import type { Turn, TurnOptions } from "../turn/turn.ts";
import { encodeFailure } from "./failure.ts";
import { encodeAction, NOTE } from "./notes.ts";
import type { ExecutionPlace, StateChange, StopSaid, TurnPlace, Witness } from "./witness.ts";

/** Asks the world, and notes what a replay could not know otherwise. */
export class LiveWitness implements Witness {
  readonly isLive: boolean = true;
  readonly isAsking: boolean = true;
  readonly #clock: Env["clock"];
  #notes: Recording[] = [];
  /** Times that were read, each with how often in a row. */
  #times: number[] = [];
  #countedFrom: number;
  #ticks = 0;
  #shown = 0;
  #unseen = 0;

  constructor(clock: Env["clock"], signal: AbortSignal) {
    this.#clock = clock;
    this.#countedFrom = clock.mono();
    const onAbort = (): void => {
      if (signal.reason instanceof RunCancelled)
        this.#note(NOTE.signal, "aborted", [this.#ticks, this.#shown, this.#unseen]);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  }

  now(): number {
    const now = this.#clock.now();
    const times = this.#times;
    const last = times.length - 2;
    if (last >= 0 && times[last] === now) times[last + 1] = (times[last + 1] ?? 0) + 1;
    else times.push(now, 1);
    return now;
  }

  isPast(_callId: string, expiresAt: number): boolean {
    return expiresAt <= this.#clock.now();
  }

  activeMs(): number {
    const now = this.#clock.mono();
    const elapsed = Math.round(now - this.#countedFrom);
    this.#countedFrom = now;
    this.#note(NOTE.clock, "active_ms", elapsed);
    return elapsed;
  }

  tick(): void {
    this.#ticks += 1;
  }

  shown(): void {
    this.#shown += 1;
  }

  held(): void {
    this.#unseen += 1;
  }

  mark(): void {
    this.#unseen += 1;
  }

  answered(place: string, answers: readonly (readonly PhaseAction[] | undefined)[]): void {
    const given = answers.flatMap((actions, index): Json[] => {
      if (!Array.isArray(actions) || actions.length === 0) return [];
      const noted = actions.map(encodeAction);
      return [[index, noted.every((action) => action !== undefined) ? noted : null]];
    });
    if (given.length > 0) this.#note(NOTE.phase(place), "answers", given);
  }

  hookFailed(place: string, plugin: string, error: unknown): void {
    this.#note(NOTE.phase(place), "failed", [plugin, encodeFailure(error)]);
  }

  stopSaid(place: string, policy: string, { reason, problem }: StopSaid): void {
    const said = { ...(reason !== undefined && { reason: { ...reason } }), ...(problem !== undefined && { problem }) };
    this.#note(NOTE.stop, place, { policy, ...said });
  }

  toolsHidden(stepId: string, hidden: ReadonlySet<string>): void {
    if (hidden.size > 0) this.#note(NOTE.hidden, stepId, [...hidden]);
  }

  check(callId: string, ask: () => Promise<CheckedInput>): Promise<CheckedInput> {
    return this.#noteUnusual(callId, "check", ask, (checked) =>
      checked.ok ? undefined : { problem: checked.problem },
    );
  }

  needsApproval(callId: string, ask: () => Promise<boolean>): Promise<boolean> {
    return this.#noteUnusual(callId, "approval", ask, (isNeeded) => (isNeeded ? { needed: true } : undefined));
  }

  async turn({ stepId }: TurnPlace, options: TurnOptions): Promise<Turn> {
    this.tick();
    try {
      const turn = await runTurn(options);
      const usual = turn.calls.length > 0 ? "tool_use" : "end_turn";
      if (turn.stop_reason !== usual) this.#note(NOTE.turn(stepId), "stop_reason", turn.stop_reason);
      return turn;
    } catch (error) {
      if (!options.request.signal.aborted) this.#note(NOTE.turn(stepId), "failed", encodeFailure(error));
      throw error;
    } finally {
      this.tick();
    }
  }

  execute(_: ExecutionPlace, run: () => Promise<ExecutedCall>): Promise<ExecutedCall> {
    return run();
  }

  reduce({ index }: StateChange, run: () => Patch): Patch {
    try {
      return run();
    } catch (error) {
      this.#note(NOTE.reduce, String(index), encodeFailure(error));
      throw error;
    }
  }

  rebase(callId: string, _: ExecutedCall, run: () => readonly Op[]): readonly Op[] {
    try {
      return run();
    } catch (error) {
      this.#note(NOTE.call(callId), "conflict", encodeFailure(error));
      throw error;
    }
  }

  settled(callId: string, { terminate, messages, state, blobs }: ExecutedCall): void {
    const extras = {
      ...(terminate !== undefined && { terminate }),
      // Checked to be JSON when they were queued.
      ...(messages.length > 0 && { messages: messages as unknown as Json }),
      ...(state.runScoped.size > 0 && { run_scoped: [...state.runScoped] }),
      ...(blobs.length > 0 && { blobs: [...blobs] }),
    };
    this.tick();
    if (Object.keys(extras).length > 0) this.#note(NOTE.call(callId), "executed", extras);
  }

  async record<Value extends Json>(_place: string, _name: string, run: () => Promise<Value> | Value): Promise<Value> {
    return run();
  }

  commitRefused(changesetId: string, error: unknown): void {
    this.#note(NOTE.commit, changesetId, encodeFailure(error));
  }

  take(committedAt: number): readonly Recording[] {
    const notes = this.#notes;
    const times = this.#times;
    this.#notes = [];
    this.#times = [];
    // Mostly nothing takes a millisecond: then the time of the commit says it all.
    if (times.length === 2 && times[0] === committedAt) return notes;
    return [...notes, { place: NOTE.clock, name: "now", value: times }];
  }

  putBack(notes: readonly Recording[]): void {
    const clock = notes.find(({ place, name }) => place === NOTE.clock && name === "now");
    this.#notes = [...notes.filter((note) => note !== clock), ...this.#notes];
    // Written above, as numbers.
    if (clock !== undefined) this.#times = [...(clock.value as readonly number[]), ...this.#times];
  }

  /** Passes the answer itself on, and makes nobody wait longer for it: calls that begin early race with the model. */
  #noteUnusual<Value>(
    callId: string,
    name: string,
    ask: () => Promise<Value>,
    describe: (value: Value) => Json | undefined,
  ): Promise<Value> {
    const fail = (error: unknown): void => this.#note(NOTE.call(callId), name, { failed: encodeFailure(error) });
    try {
      const asked = ask();
      asked.then((value) => {
        const noted = describe(value);
        if (noted !== undefined) this.#note(NOTE.call(callId), name, noted);
      }, fail);
      return asked;
    } catch (error) {
      fail(error);
      throw error;
    }
  }

  #note(place: string, name: string, value: Json): void {
    this.#notes.push({ place, name, value });
  }
}
