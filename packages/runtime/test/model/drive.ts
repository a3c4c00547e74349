import { type DecisionVerb, RepriseError, type RunRequest, type ToolCallRecord } from "@reprise/contracts";
import type { RunHandle } from "@reprise/runtime";
import { ops } from "@reprise/state";
import { bindingHash } from "../../src/resolve/tool-version.ts";
import { listEveryCall } from "./list-calls.ts";
import { Reader } from "./reader.ts";
import type { Command, DecideHow, Scenario } from "./scenario.ts";
import { type Instance, World } from "./world.ts";

/** Refusals that are part of the game. */
export const REFUSALS: ReadonlySet<string> = new Set([
  "INVALID_ARGUMENTS",
  "THREAD_BUSY",
  "THREAD_NOT_FOUND",
  "VERSION_CONFLICT",
  "RUN_NOT_FOUND",
  "RUN_NOT_ACTIVE",
  "RUNTIME_CLOSED",
  "STORE_UNAVAILABLE",
  "NOT_SUSPENDED",
  "DECISION_CONFLICT",
  "BINDING_MISMATCH",
]);

/** Somebody outside asked for something. */
interface Asked {
  readonly what: string;
  readonly instance: Instance;
  isAnswered: boolean;
}

/** Plays a scenario: does what its commands say, and remembers what was asked and answered. */
export class Driver {
  readonly world: World;
  readonly requests: RunRequest[] = [];
  /** Runs whose start was answered. */
  readonly accepted = new Map<string, { readonly handle: RunHandle; readonly instance: Instance }>();
  readonly cancelled = new Set<string>();
  readonly readers: Reader[] = [];
  readonly asked: Asked[] = [];
  readonly scenario: Scenario;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.world = new World(scenario);
  }

  async play(): Promise<void> {
    for (let count = 0; count < this.scenario.processes; count += 1) await this.world.boot();
    for (const command of this.scenario.commands) {
      await this.#perform(command);
      await this.world.turns(command.turns);
    }
  }

  async #perform(command: Command): Promise<void> {
    const { world } = this;
    switch (command.do) {
      case "advance":
        return world.env.advance(command.ms);
      case "boot":
        if (world.alive.length < 4) await world.boot();
        return;
      case "curse":
        return this.#curse(command);
      case "thaw":
        for (const { process } of world.instances) process.thaw();
        return;
    }
    const instance = await this.#instance(command.at);
    const { process, runtime } = instance;
    switch (command.do) {
      case "say": {
        const { thread, policy: busy_policy, priority } = command;
        return this.#say(instance, { agent_id: "agent", thread_id: `t${thread}`, busy_policy, priority });
      }
      case "resend": {
        const request = pickOf(this.requests, command.pick);
        return request === undefined ? undefined : this.#submit(instance, request);
      }
      case "decide":
        return this.#decide(instance, command);
      case "cancel": {
        const run = pickOf(this.requests, command.pick)?.run_id;
        if (run === undefined) return;
        this.#ask(instance, `cancel ${run}`, async () => {
          this.cancelled.add(run);
          await (await this.#handle(instance, run)).cancel();
        });
        return;
      }
      case "patch":
        this.#ask(instance, "patch", () =>
          runtime.threads.patch(`t${command.thread}`, { ops: [ops.append(["outside"], 1)] }),
        );
        return;
      case "read":
        return this.#read(instance, command.pick, command.follow);
      case "hop":
        return this.hop(instance, pickOf(this.readers, command.pick), command.back);
      case "trap":
        process.traps.push({ point: command.point, skip: command.skip, stop: command.stop });
        return;
      case "flaky":
        process.flaky = { method: command.method, count: command.count, isLate: command.isLate };
        return;
      case "kill":
        return process.die();
      case "close":
        this.#ask(instance, "close", () => runtime.close());
        process.status = "closed";
        return;
      default:
        command satisfies never;
    }
  }

  /** Everybody who comes to a point dies there, one after another. */
  async #curse({ point, deaths }: Extract<Command, { do: "curse" }>): Promise<void> {
    for (let death = 0; death < deaths; death += 1) {
      if (this.world.alive.length === 0) await this.world.boot();
      for (const { process } of this.world.alive) process.traps.push({ point, skip: 0, stop: "die" });
      await this.world.env.advance(14_000);
    }
  }

  /** A process that can be asked; there is always one. */
  async #instance(at: number): Promise<Instance> {
    return pickOf(this.world.alive, at) ?? this.world.boot();
  }

  /** Asks without waiting: the process may die before it answers. */
  #ask(instance: Instance, what: string, ask: () => Promise<unknown>): void {
    const asked: Asked = { what, instance, isAnswered: false };
    this.asked.push(asked);
    void ask()
      .catch((error: unknown) => {
        if (RepriseError.is(error) && REFUSALS.has(error.code)) return;
        this.world.problems.push(`${instance.process.name} answered ${what} with ${String(error)}`);
      })
      .finally(() => {
        asked.isAnswered = true;
      });
  }

  /** Says something new on a thread; every message begins with the thread's name. */
  #say(instance: Instance, request: Omit<RunRequest, "messages">): void {
    const run_id = `r${this.requests.length}`;
    const messages = [{ role: "user" as const, content: `${request.thread_id} ${run_id}` }];
    this.requests.push({ ...request, run_id, messages });
    this.#submit(instance, { ...request, run_id, messages });
  }

  #submit(instance: Instance, request: RunRequest): void {
    this.#ask(instance, `start ${request.run_id}`, async () => {
      const handle = await instance.runtime.submit(request);
      if (!instance.process.isGone) this.accepted.set(handle.id, { handle, instance });
      this.#ask(instance, `outcome ${handle.id}`, () => handle.outcome());
    });
  }

  async #decide(instance: Instance, command: Extract<Command, { do: "decide" }>): Promise<void> {
    const { how, verb, pick } = command;
    const items = await listEveryCall(this.world.tenant);
    const wanted = items.filter(({ status }) => status === (how === "early" ? "running" : "suspended"));
    const call = pickOf(pick % 4 === 3 || wanted.length === 0 ? items : wanted, pick);
    if (call === undefined) return;
    if (how === "in_request" || how === "with_message") return this.#decideByRequest(instance, call, how, verb);
    const hash = call.binding_hash ?? bindingHash(this.world.env, "default", call);
    this.#ask(instance, `decide ${call.call_id}`, async () => {
      const options = how === "early" ? { bindingHash: hash } : {};
      const decision = await instance.runtime.decisions.decide(call.call_id, verb, options);
      const stored = await this.world.tenant.loadDecision(call.run_id, call.call_id, decision.suspension);
      if (JSON.stringify(stored) !== JSON.stringify(decision)) {
        this.world.problems.push(`decision ${decision.decision_id} is lost`);
      }
    });
  }

  #decideByRequest(instance: Instance, call: ToolCallRecord, how: DecideHow, { action, ...rest }: DecisionVerb): void {
    const { thread_id, call_id: target_id } = call;
    const decision = { target_id, action: action === "deny" ? ("cancel" as const) : ("resume" as const), ...rest };
    const request = { agent_id: "agent", thread_id, initial_decisions: [decision] };
    if (how === "with_message") return this.#say(instance, { ...request, busy_policy: "enqueue" });
    this.#ask(instance, `decide ${target_id}`, () => instance.runtime.submit({ ...request, messages: [] }));
  }

  #read(instance: Instance, pick: number, follow: boolean): void {
    const runId = pickOf(this.requests, pick)?.run_id;
    if (runId === undefined) return;
    const reader = new Reader(runId, follow, async () => this.journal(runId));
    this.readers.push(reader);
    this.hop(instance, reader, 0);
  }

  hop(instance: Instance, reader: Reader | undefined, back: number): void {
    if (reader === undefined) return;
    this.#handle(instance, reader.runId).then(
      (handle) => reader.attach(instance.process, handle, back),
      () => undefined,
    );
  }

  /** Only who was answered knows a run that is still queued. */
  async #handle(instance: Instance, runId: string): Promise<RunHandle> {
    const known = this.accepted.get(runId);
    return known?.instance === instance ? known.handle : instance.runtime.run(runId);
  }

  /** The run whose story a run's is: its own, or that of the run that took its messages in. */
  async hostOf(runId: string): Promise<string> {
    const { items } = await this.world.tenant.listEntries({ run_id: runId });
    return items.find(({ into_run }) => into_run !== undefined)?.into_run ?? runId;
  }

  async journal(runId: string) {
    const host = await this.hostOf(runId);
    return (await this.world.tenant.readEvents(host, 0)).flatMap((segment) => segment.events);
  }
}

function pickOf<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items[pick % items.length];
}
