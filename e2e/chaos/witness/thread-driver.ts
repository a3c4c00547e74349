import type { AgentEvent, BusyPolicy, RunRequest } from "@reprise/contracts";
import { ops } from "@reprise/state";
import type { SeededRandom } from "../random/seeded-random.ts";
import { scriptMessage } from "../workload/run-script.ts";
import type { Connections } from "./connections.ts";
import { Decider } from "./decider.ts";
import { followRun } from "./follow-run.ts";
import { chooseIntervention, type Intervention } from "./intervention.ts";

export interface DrivenThread {
  readonly thread_id: string;
  readonly connections: Connections;
  readonly random: SeededRandom;
  /** No more runs are begun once this says so; what was begun is seen to its end. */
  isEnding(): boolean;
}

/** How often questions that nobody heard of are looked for. */
const LOOK_EVERY_MS = 400;

/** A client that talks to one thread: starts runs, answers questions, interferes, and reads every event to the end. */
export class ThreadDriver {
  readonly #thread: DrivenThread;
  readonly #decider: Decider;
  /** Runs that were accepted and not read to their end yet. */
  readonly #toFollow: string[] = [];
  #runs = 0;

  constructor(thread: DrivenThread) {
    this.#thread = thread;
    this.#decider = new Decider(thread.connections, thread.random.branch("decide"));
  }

  async drive(): Promise<void> {
    const { random, isEnding, thread_id } = this.#thread;
    const looking = setInterval(() => void this.#decider.look(thread_id).catch(() => undefined), LOOK_EVERY_MS);
    try {
      for (let left = random.between(1, 4); left > 0 && !isEnding(); left--) {
        await this.#start("enqueue");
        for (let next = this.#toFollow.shift(); next !== undefined; next = this.#toFollow.shift())
          await this.#follow(next);
        if (random.chance(0.3)) await this.#patch();
      }
      await this.#decider.settle();
    } finally {
      clearInterval(looking);
    }
  }

  /** Has a run accepted, asking again until it is. */
  async #start(policy: BusyPolicy): Promise<void> {
    const { connections, random, thread_id } = this.#thread;
    this.#runs += 1;
    const run_id = `${thread_id}-r${this.#runs}`;
    const ask = { op: "start", request: this.#request(run_id, policy) } as const;
    const reply = await connections.askUntilDefinite(ask);
    if ("refusal" in reply) return;
    this.#toFollow.push(run_id);
    if (random.chance(0.1)) await connections.askUntilDefinite(ask);
  }

  #request(run_id: string, busy_policy: BusyPolicy): RunRequest {
    const content = busy_policy === "steer" ? `Hurry, ${run_id}.` : scriptMessage(run_id);
    return {
      agent_id: "chaos",
      thread_id: this.#thread.thread_id,
      run_id,
      messages: [{ id: `said-${run_id}`, role: "user", content }],
      busy_policy,
      dedupe_key: `key-${run_id}`,
    };
  }

  async #follow(run_id: string): Promise<void> {
    const { connections, thread_id } = this.#thread;
    const random = this.#thread.random.branch(`follow/${run_id}`);
    let intervention = chooseIntervention(random);
    let interfering: Promise<void> = Promise.resolve();
    await followRun(connections, {
      run_id,
      thread_id,
      random,
      onEvent: (event: AgentEvent) => {
        this.#decider.onEvent(event);
        if (event.type !== intervention?.at) return;
        interfering = this.#interfere(run_id, intervention);
        // Heard below, unless following fails first.
        interfering.catch(() => undefined);
        intervention = undefined;
      },
    });
    await interfering;
  }

  async #interfere(run_id: string, { kind, at }: Intervention): Promise<void> {
    const { connections } = this.#thread;
    connections.log.note({ type: "fault", fault: `${kind} at ${at}`, detail: run_id });
    if (kind !== "cancel") return this.#start(kind);
    await connections.askUntilDefinite({ op: "cancel", run_id, reason: "The client had enough." });
  }

  /** Changes the state from outside, at the version it was seen at. Asked once: what is lost stays in doubt. */
  async #patch(): Promise<void> {
    const { connections, random, thread_id } = this.#thread;
    const seen = await connections.ask({ op: "thread_version", thread_id });
    if (!("answer" in seen) || typeof seen.answer !== "number") return;
    const change = ops.set([`outside_${this.#runs}`], random.between(1, 1_000_000));
    await connections.ask({ op: "patch", thread_id, ops: [change], expected: seen.answer });
  }
}
