import {
  type AgentEvent,
  type EventData,
  type EventType,
  type ToolResult,
  toolFailure,
  toolPending,
  toolSuccess,
} from "@reprise/contracts";

/** Numbers that say what happens next; when they run out, the run ends as soon as it may. */
class Dice {
  readonly #rolls: readonly number[];
  #next = 0;

  constructor(rolls: readonly number[]) {
    this.#rolls = rolls;
  }

  /** A number below `sides`; 0 when there is nothing left. */
  roll(sides: number): number {
    return (this.#rolls[this.#next++] ?? 0) % sides;
  }

  get isEmpty(): boolean {
    return this.#next >= this.#rolls.length;
  }
}

const TOOLS = ["search", "wire", "__proto__"];
const MODES = ["replay_tool_call", "use_decision_as_tool_result", "pass_decision_to_tool"] as const;

/** A run as the runtime could tell it, chosen by numbers. It obeys the order of events, and tries everything that order allows. */
export function legalRun(rolls: readonly number[]): readonly AgentEvent[] {
  return new RunWriter(new Dice(rolls)).write();
}

class RunWriter {
  readonly #dice: Dice;
  readonly #events: AgentEvent[] = [];
  readonly #suspended = new Map<string, number>();
  #steps = 0;
  /** The step under way: its events name it. */
  #stepId: string | undefined;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  write(): readonly AgentEvent[] {
    this.#add("run_start", {});
    for (;;) {
      const isBrokenOff = this.#step();
      this.#stepId = undefined;
      if (isBrokenOff || this.#dice.isEmpty) return this.#end(isBrokenOff);
      if (this.#suspended.size > 0 && this.#dice.roll(2) === 0) {
        this.#add("run_finish", { termination: { type: "suspended" } });
        if (this.#dice.roll(4) === 1) return this.#supersede();
        this.#add("run_start", {});
        this.#decide();
      }
      // An owner was lost, and another began where the last commit was.
      if (this.#dice.roll(8) === 1) this.#add("run_start", {});
    }
  }

  /** One step and what its calls come to. Returns whether it was broken off. */
  #step(): boolean {
    this.#steps += 1;
    this.#stepId = `r-s${this.#steps}`;
    const message_id = `r-s${this.#steps}-m`;
    this.#add("step_start", { message_id });
    let calls = this.#speak();
    if (calls === undefined) return true;
    if (this.#dice.roll(5) === 1) {
      this.#add("step_reset", { message_id });
      calls = this.#speak();
      if (calls === undefined) return true;
    }
    this.#add("inference_complete", { model: "m", duration_ms: 1 });
    this.#add("step_end", {});
    for (const id of calls) this.#settle(id);
    return false;
  }

  /** What the model says; the calls it finished, or nothing when the run ended in the middle. */
  #speak(): string[] | undefined {
    const ready: string[] = [];
    let begun = 0;
    for (;;) {
      const id = `r-s${this.#steps}-c${begun}`;
      switch (this.#dice.roll(9)) {
        case 0:
          return ready;
        case 1:
        case 2:
          this.#add("text_delta", { delta: "word " });
          break;
        case 3:
          this.#add("reasoning_delta", { delta: "thought " });
          break;
        case 4:
          this.#add("activity_snapshot", { message_id: "a", activity_type: "reasoning", content: "aside" });
          break;
        case 8:
          if (this.#dice.roll(12) === 1) return undefined;
          break;
        default:
          begun += 1;
          if (this.#call(id)) ready.push(id);
      }
    }
  }

  /** A call, whole or not. */
  #call(id: string): boolean {
    const name = TOOLS[this.#dice.roll(TOOLS.length)] ?? "search";
    if (this.#dice.roll(4) !== 1) {
      this.#add("tool_call_start", { id, name });
      if (this.#dice.roll(2) === 1) this.#add("tool_call_delta", { id, args_delta: "{" });
      if (this.#dice.roll(4) === 1) return false;
    }
    this.#add("tool_call_ready", { id, name, arguments: {} });
    return true;
  }

  #settle(id: string): void {
    const outcome = this.#dice.roll(6);
    if (outcome === 0) return this.#done(id, toolSuccess("search", { found: 1 }), "succeeded");
    if (outcome === 1) return this.#done(id, toolFailure("search", "execution_failed", "no"), "failed");
    if (outcome === 2) return this.#done(id, toolFailure("search", "denied", "no"), "cancelled");
    // What is left out is left open, as when the process dies or the run breaks.
    if (outcome === 3) return;
    this.#ask(id);
  }

  #ask(id: string): void {
    const suspension = (this.#suspended.get(id) ?? 0) + 1;
    this.#suspended.set(id, suspension);
    const ticket = {
      suspension: { id: `${id}-q${suspension}`, action: "approval" },
      pending: { id, name: "search", arguments: {} },
      resume_mode: MODES[this.#dice.roll(3)] ?? MODES[0],
    };
    const suspended = { ticket, suspension, binding_hash: "hash" };
    this.#add("tool_call_done", {
      id,
      result: toolPending("search", ticket),
      message_id: `${id}-r`,
      outcome: "suspended",
      suspended,
    });
  }

  #decide(): void {
    for (const id of [...this.#suspended.keys()]) {
      if (this.#dice.roll(3) === 1) continue;
      const edited = this.#dice.roll(2) === 1 ? { arguments: { edited: true } } : {};
      this.#add("tool_call_resumed", { target_id: id, result: { action: "resume", ...edited } });
      if (this.#dice.roll(4) === 1) {
        this.#ask(id);
        continue;
      }
      this.#suspended.delete(id);
      this.#done(id, toolSuccess("search", null), "succeeded");
    }
  }

  #supersede(): readonly AgentEvent[] {
    for (const id of this.#suspended.keys()) {
      this.#add("tool_call_cancelled", { id, reason: "superseded" });
      this.#done(id, toolFailure("search", "superseded", "new message"), "cancelled");
    }
    this.#add("run_finish", { termination: { type: "stopped", value: { code: "superseded" } } });
    return this.#events;
  }

  #end(isBrokenOff: boolean): readonly AgentEvent[] {
    const isFailed = this.#dice.roll(2) === 1;
    if (isFailed) this.#add("error", { message: "it broke" });
    if (this.#dice.roll(2) === 0)
      for (const id of this.#suspended.keys()) this.#done(id, toolSuccess("search", 1), "succeeded");
    if (isFailed) this.#add("run_finish", { termination: { type: "error", value: "it broke" } });
    else this.#add("run_finish", { termination: { type: isBrokenOff ? "cancelled" : "natural_end" } });
    return this.#events;
  }

  #done(id: string, result: ToolResult, outcome: "succeeded" | "failed" | "cancelled"): void {
    this.#add("tool_call_done", { id, result, message_id: `${id}-r`, outcome });
  }

  #add<Type extends EventType>(type: Type, data: EventData[Type]): void {
    const seq = this.#events.length + 1;
    const step = this.#stepId === undefined ? {} : { step_id: this.#stepId };
    // Type and data belong together by the signature; the compiler does not follow that through a union.
    this.#events.push({ type, run_id: "r", thread_id: "t", ...step, seq, timestamp_ms: 0, data } as AgentEvent);
  }
}
