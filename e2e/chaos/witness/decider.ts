import type { AgentEvent, DecisionVerb } from "@reprise/contracts";
import type { OpenDecision } from "@reprise/runtime";
import type { SeededRandom } from "../random/seeded-random.ts";
import type { AskOf } from "../wire/worker-messages.ts";
import { pauseFor } from "../workload/pause-for.ts";
import { isToolName, toolKind } from "../workload/tool-kinds.ts";
import { chooseVerb, type Question } from "./choose-verb.ts";
import type { Connections } from "./connections.ts";

/** How many decisions come with an `Idempotency-Key`; their own id makes all of them safe to send again. */
const KEY_SHARE = 0.05;

const SLOW_SHARE = 0.15;

/** In what manner a decision is sent. */
const MANNERS = { once: 12, twice_at_once: 3, twice: 3, late_again: 3, with_rival: 4 };

/** What tools and gates ask that continue without an answer after a while. */
const OFFERS: readonly string[] = ["tool:offer", "gate:review"];

/** Waits of workflows for a time, which are nobody's to answer. */
const TIMERS: readonly string[] = ["sleep", "retry"];

interface OpenTree {
  readonly open: readonly string[];
  readonly decisions: readonly OpenDecision[];
}

/** Answers the questions of one thread, each once in its own manner: twice, against a rival, or before it was asked. */
export class Decider {
  readonly #connections: Connections;
  readonly #random: SeededRandom;
  readonly #decidesEarly: boolean;
  readonly #planned = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(connections: Connections, random: SeededRandom, decidesEarly: boolean) {
    this.#connections = connections;
    this.#random = random;
    this.#decidesEarly = decidesEarly;
  }

  /** Hears of questions by a run's events. */
  onEvent(event: AgentEvent): void {
    if (event.type === "tool_call_done" && event.data.suspended !== undefined) {
      const { ticket, suspension } = event.data.suspended;
      this.#consider({ call_id: event.data.id, suspension, action: ticket.suspension.action });
    }
    if (this.#decidesEarly && event.type === "tool_call_ready") this.#decideEarly(event);
  }

  /** Asks what is open on a thread, in case nobody heard of it. */
  async look(threadId: string): Promise<void> {
    const reply = await this.#connections.ask({ op: "open_decisions", thread_id: threadId });
    // The answer of `open_decisions` is a list of these.
    if ("answer" in reply) this.#considerAll(reply.answer as unknown as readonly OpenDecision[]);
  }

  /** The same for a thread and the runs below its runs. Returns whether anything of them is open. */
  async lookBelow(threadId: string): Promise<boolean> {
    const reply = await this.#connections.ask({ op: "open_tree", thread_id: threadId });
    if (!("answer" in reply)) return true;
    // The answer of `open_tree` is one.
    const { open, decisions } = reply.answer as unknown as OpenTree;
    this.#considerAll(decisions);
    return open.length > 0;
  }

  /** Waits until every decision that was begun is answered for. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #considerAll(decisions: readonly OpenDecision[]): void {
    for (const { id, suspension, ticket } of decisions)
      this.#consider({ call_id: id, suspension, action: ticket?.suspension.action ?? "" });
  }

  #consider(question: Question): void {
    const key = `${question.call_id}#${question.suspension}`;
    if (this.#planned.has(key) || TIMERS.includes(question.action)) return;
    this.#planned.add(key);
    this.#keep(this.#decide(question, this.#random.branch(key)));
  }

  #keep(deciding: Promise<void>): void {
    // A witness that is stopped leaves its questions open.
    const kept = deciding.catch(() => undefined).finally(() => this.#underWay.delete(kept));
    this.#underWay.add(kept);
  }

  async #decide(question: Question, random: SeededRandom): Promise<void> {
    // Some offers nobody answers: then their time has to run out.
    if (OFFERS.includes(question.action) && random.chance(0.5)) return;
    // Most answers come at once; some take as long as a person does, while faults and deploys continue.
    await pauseFor(random.chance(SLOW_SHARE) ? random.between(300, 2_000) : random.between(0, 40));
    const manner = random.pickWeighted(MANNERS);
    // Some clients say which question they answer, some rely on their decision's id.
    const named = random.chance(0.5) ? { suspension: question.suspension } : {};
    const decision = { ...this.#ask(question, "a", chooseVerb(question, random)), ...named };
    const send = (ask: AskOf<"decide">): Promise<unknown> => this.#connections.askUntilDefinite(ask);
    if (manner === "twice_at_once") await Promise.all([send(decision), send(decision)]);
    else if (manner === "with_rival") {
      await Promise.all([send(decision), send(this.#ask(question, "b", chooseVerb(question, random)))]);
    } else await send(decision);
    // A client that is not sure sends again, perhaps much later.
    if (manner === "late_again") await pauseFor(random.between(100, 1_500));
    if (manner === "twice" || manner === "late_again") await send(decision);
  }

  #ask({ call_id, suspension }: Question, rival: string, verb: DecisionVerb): AskOf<"decide"> {
    const decision_id = `${call_id}#${suspension}#${rival}`;
    const key = this.#random.branch(`key/${decision_id}`).chance(KEY_SHARE) ? { idempotency_key: decision_id } : {};
    return { op: "decide", target: call_id, verb, decision_id, ...key };
  }

  /** Decides about a call that was only seen in the stream. When that is refused, the question will be asked in its time. */
  #decideEarly({ data, run_id, thread_id }: Extract<AgentEvent, { type: "tool_call_ready" }>): void {
    const key = `${data.id}#1`;
    const { name: tool } = data;
    if (!isToolName(tool) || toolKind(tool)?.needsApproval !== true) return;
    const random = this.#random.branch(`early/${key}`);
    if (!random.chance(0.2) || this.#planned.has(key)) return;
    this.#planned.add(key);
    const question: Question = { call_id: data.id, suspension: 1, action: "approval" };
    const early = { thread_id, run_id, call_id: data.id, tool, arguments: data.arguments };
    const deciding = async (): Promise<void> => {
      const ask = this.#ask(question, "early", chooseVerb(question, random));
      const reply = await this.#connections.askUntilDefinite({ ...ask, early });
      if ("refusal" in reply) this.#planned.delete(key);
    };
    this.#keep(deciding());
  }
}
