import type { AgentEvent, BusyPolicy, RunRequest } from "@reprise/contracts";
import { ops } from "@reprise/state";
import type { SeededRandom } from "../random/seeded-random.ts";
import type { AskOf } from "../wire/worker-messages.ts";
import { FLOW_AGENT, isOfFlow } from "../workload/flow-document.ts";
import { LASTING_AGENT } from "../workload/generation.ts";
import { pauseFor } from "../workload/pause-for.ts";
import { isOfTree, scriptMessage } from "../workload/run-script.ts";
import type { Connections } from "./connections.ts";
import { Decider } from "./decider.ts";
import { type FollowedRun, followRun } from "./follow-run.ts";
import { chooseIntervention, type Intervention, type RunKind } from "./intervention.ts";

export interface DrivenThread {
  readonly thread_id: string;
  readonly connections: Connections;
  readonly random: SeededRandom;
  /** Whether it may decide about calls before they are asked about: it has to know the version of their tool for that. */
  readonly decidesEarly: boolean;
  /** No more runs are begun once this says so; what was begun is seen to its end. */
  isEnding(): boolean;
}

/** How often questions that nobody heard of are looked for. */
const LOOK_EVERY_MS = 400;

function kindOf(threadId: string): RunKind {
  if (isOfFlow(threadId)) return "flow";
  return isOfTree(threadId) ? "tree" : "plain";
}

/** A client that talks to one thread: starts runs, answers questions, interferes, and reads every event to the end. */
export class ThreadDriver {
  readonly #thread: DrivenThread;
  readonly #decider: Decider;
  /** Runs that were accepted and not read to their end yet. */
  readonly #toFollow: Pick<FollowedRun, "run_id" | "thread_id">[] = [];
  #runs = 0;
  #calls = 0;

  constructor(thread: DrivenThread) {
    this.#thread = thread;
    this.#decider = new Decider(thread.connections, thread.random.branch("decide"), thread.decidesEarly);
  }

  async drive(): Promise<void> {
    const { random, isEnding, thread_id } = this.#thread;
    const isTree = isOfTree(thread_id);
    const look = (): Promise<unknown> => (isTree ? this.#decider.lookBelow(thread_id) : this.#decider.look(thread_id));
    const looking = setInterval(() => void look().catch(() => undefined), LOOK_EVERY_MS);
    try {
      for (let left = random.between(1, 4); left > 0 && !isEnding(); left--) {
        await this.#start("enqueue");
        for (let next = this.#toFollow.shift(); next !== undefined; next = this.#toFollow.shift())
          await this.#follow(next);
        if (random.chance(0.3)) await this.#patch();
        if (random.chance(0.2)) await this.#callTool();
      }
      // Runs in the background outlive the one that started them, and may have questions. One look can miss a run that is just starting.
      for (let rests = 0; isTree && rests < 3; rests++) {
        if (await this.#decider.lookBelow(thread_id)) rests = -1;
        await pauseFor(LOOK_EVERY_MS);
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
    const name = `${thread_id}-r${this.#runs}`;
    const request = this.#request(name, policy);
    // Some clients name their runs, some leave that to the server and come with a key.
    const ask: AskOf<"start"> = random.chance(0.5)
      ? { op: "start", request: { ...request, run_id: name, dedupe_key: `key-${name}` } }
      : { op: "start", request, idempotency_key: `key-${name}` };
    const reply = await connections.askUntilDefinite(ask);
    if ("refusal" in reply) return;
    // The answer of `start` names the run.
    const { run_id } = reply.answer as { readonly run_id: string };
    this.#toFollow.push({ run_id, thread_id });
    if (random.chance(0.1)) await connections.askUntilDefinite(ask);
  }

  #request(name: string, busy_policy: BusyPolicy): RunRequest {
    const { connections, random, thread_id } = this.#thread;
    const isFlow = isOfFlow(thread_id);
    // The name of a run is the input of its workflow.
    const said = isFlow ? name : scriptMessage(name);
    const content = busy_policy === "steer" && !isFlow ? `Hurry, ${name}.` : said;
    return {
      agent_id: isFlow ? FLOW_AGENT : connections.chooseAgent(random.branch(`agent/${name}`)),
      thread_id,
      messages: [{ id: `said-${name}`, role: "user", content }],
      busy_policy,
    };
  }

  /** Has a tool called by hand, on a thread of its own, asking again under the same key until somebody says that it is done. */
  async #callTool(): Promise<void> {
    const { connections, random, thread_id } = this.#thread;
    // Only a server remembers keys of such calls.
    if (connections.kind !== "http") return;
    this.#calls += 1;
    const name = `${thread_id}-c${this.#calls}`;
    const input = { n: random.between(1, 1_000_000), pause_ms: random.between(0, 1_000) };
    const ask: AskOf<"call_tool"> = {
      op: "call_tool",
      agent: LASTING_AGENT,
      tool: "charge",
      arguments: input,
      thread_id: name,
      idempotency_key: `key-${name}`,
    };
    const reply = await connections.askUntilDefinite(ask);
    if ("refusal" in reply) return;
    // The answer of `call_tool` names the run, which may wait for somebody who knows whether the call took effect.
    const { run_id } = reply.answer as { readonly run_id: string };
    await this.#follow({ run_id, thread_id: name });
    if (random.chance(0.3)) await connections.askUntilDefinite(ask);
  }

  async #follow({ run_id, thread_id }: Pick<FollowedRun, "run_id" | "thread_id">): Promise<void> {
    const { connections } = this.#thread;
    const random = this.#thread.random.branch(`follow/${run_id}`);
    // Only a conversation is interfered with.
    let intervention = thread_id === this.#thread.thread_id ? chooseIntervention(random, kindOf(thread_id)) : undefined;
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
