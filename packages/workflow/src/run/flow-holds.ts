import { canonicalJson, type ProgramNews } from "@reprise/contracts";
import { type Json, type JsonObject, ops } from "@reprise/state";
import type { Workflow, WorkflowUpgrade } from "../document/workflow-document.ts";
import type { NodeFailure } from "../node/node-executor.ts";
import { renderTemplate, resolveTemplates } from "../template/resolve-template.ts";
import { internal } from "./execute-node.ts";
import { type Flow, RunFailed } from "./flow.ts";
import { keepNodes } from "./keep-nodes.ts";

export const DEADLINE = "$deadline";
export const UPGRADE = "$upgrade";

/** A context that is not there yet, a slot that others have, a changed document that nobody decided about. */
type Hold = "context" | "slot" | "upgrade";

/** Reasons why no node of a run may begin, and the time limit of the run. */
export class FlowHolds {
  readonly #flow: Flow;
  readonly #reasons = new Set<Hold>();

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  /** Whether no node may begin. */
  get isHeld(): boolean {
    return this.#reasons.size > 0;
  }

  /** Whether work is under way that ends a hold; a changed document is decided about outside. */
  get isBusy(): boolean {
    return this.#reasons.has("context") || this.#reasons.has("slot");
  }

  release(hold: Hold): void {
    this.#reasons.delete(hold);
  }

  /** Context is computed once, before any node. */
  resolveContext(): void {
    const { workflow, inputs } = this.#flow.book.known;
    const scope = { inputs, ctx: {}, outputs: {}, locals: {} };
    this.#reasons.add("context");
    this.#flow.book.begin("$context", { for: "context" }, async () => {
      const resolved = await resolveTemplates(workflow.context ?? {}, scope, this.#flow.host.templates);
      return "failure" in resolved ? { failure: resolved.failure as unknown as Json } : { value: resolved.value };
    });
  }

  takeContext(answer: { readonly value?: JsonObject; readonly failure?: NodeFailure }): void {
    if (answer.value === undefined) throw new RunFailed(answer.failure ?? internal("The context has no value."));
    this.#reasons.delete("context");
    this.#flow.book.state = { ...this.#flow.book.known, ctx: answer.value };
    this.#flow.book.change([ops.set(["ctx"], answer.value)]);
    // Its key may read the context.
    this.takeSlot();
  }

  /** Runs with the same key take turns, in this process: a run has its slot for as long as it is at work. */
  takeSlot(): void {
    const { workflow, inputs, ctx = {} } = this.#flow.book.known;
    const { concurrency } = workflow;
    if (concurrency === undefined) return;
    this.#reasons.add("slot");
    this.#flow.book.begin("$slot", { for: "slot" }, async ({ signal, announce }) => {
      const scope = { inputs, ctx, outputs: {}, locals: {} };
      const rendered = await renderTemplate(concurrency.key, scope, this.#flow.host.templates);
      if ("failure" in rendered) return { failure: rendered.failure as unknown as Json };
      const release = await this.#flow.limits.acquire(`${workflow.id}/${rendered.value}`, concurrency.limit, signal);
      try {
        await announce(null);
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return null;
      } finally {
        release();
      }
    });
  }

  /** Work on a slot ends when the run does, unless its key cannot be filled in. */
  takeSlotEnd(answer: { readonly failure?: NodeFailure } | null): void {
    if (answer?.failure !== undefined) throw new RunFailed(answer.failure);
  }

  /** What becomes of a run whose workflow was changed is for the new document to say, or else for a person. */
  compareDocuments(): void {
    const hash = this.#flow.book.port.hash(canonicalJson(this.#flow.book.port.definition));
    const { document, keeps } = this.#flow.book.known;
    if (hash === document || hash === keeps) return;
    // Checked when the agent was registered.
    const { workflow } = this.#flow.book.port.definition as unknown as { readonly workflow: Workflow };
    if (workflow.upgrade !== undefined) return this.#upgrade(workflow.upgrade);
    this.#reasons.add("upgrade");
    if (this.#flow.book.port.open.some(({ key }) => key === UPGRADE)) return;
    const message = `The workflow ${workflow.id} was changed since this run began. Approve to finish the run with its old document, supply {"restart_from": "<node>"} to continue with the new one, or deny to fail the run.`;
    this.#flow.book.isDirty = true;
    this.#flow.book.port.ask({
      key: UPGRADE,
      name: workflow.id,
      action: "upgrade",
      message,
      parameters: { from: document, to: hash },
    });
  }

  #upgrade(upgrade: WorkflowUpgrade): void {
    this.#reasons.delete("upgrade");
    const document = this.#flow.book.port.hash(canonicalJson(this.#flow.book.port.definition));
    const { workflow } = this.#flow.book.port.definition as unknown as { readonly workflow: Workflow };
    if (upgrade === "fail") {
      const message = `The workflow ${workflow.id} was changed since this run began, and its \`upgrade\` is fail.`;
      throw new RunFailed({ code: "validation", message, retryable: false });
    }
    if (upgrade === "finish_old") {
      this.#flow.book.state = { ...this.#flow.book.known, keeps: document };
      return this.#flow.book.change([ops.set(["keeps"], document)]);
    }
    const records = Object.fromEntries(this.#flow.book.records);
    const kept = keepNodes(this.#flow.compile(workflow), records, upgrade.restart_from, { isSameRun: true });
    if (kept === undefined) {
      const message = `The workflow ${workflow.id} has no node ${JSON.stringify(upgrade.restart_from)} to restart from.`;
      throw new RunFailed({ code: "validation", message, retryable: false });
    }
    for (const { key, callId } of this.#flow.book.port.open)
      if (kept[key] === undefined) this.#flow.book.port.withdraw(callId);
    this.#flow.book.records.clear();
    this.#flow.waits.waiting.clear();
    this.#flow.bodies.clear();
    for (const [path, record] of Object.entries(kept)) this.#flow.book.records.set(path, record);
    const { keeps: _keeps, ...known } = this.#flow.book.known;
    this.#flow.book.replace({ ...known, workflow, document, nodes: kept });
  }

  takeUpgrade({ action, result }: Extract<ProgramNews, { type: "answered" }>): void {
    const node = (result as { readonly restart_from?: unknown } | undefined)?.restart_from;
    if (action === "cancel") return this.#upgrade("fail");
    this.#upgrade(typeof node === "string" ? { restart_from: node } : "finish_old");
    if (typeof node === "string") this.#flow.rebuild();
  }

  watchDeadline(): void {
    const { timeout_ms } = this.#flow.book.known.workflow;
    if (timeout_ms === undefined) return;
    const left = this.#flow.book.port.identity.createdAt + timeout_ms - this.#flow.book.port.now;
    if (left <= 0) throw this.tooLate();
    this.#flow.book.begin(DEADLINE, { for: "deadline" }, async ({ env, signal }) => {
      await env.clock.sleep(left, signal);
      return null;
    });
  }

  /** The time limit of the run also ends a wait. */
  askForDeadline(): void {
    const { timeout_ms } = this.#flow.book.known.workflow;
    if (timeout_ms === undefined || this.#flow.book.port.open.some(({ key }) => key === DEADLINE)) return;
    const left = Math.max(this.#flow.book.port.identity.createdAt + timeout_ms - this.#flow.book.port.now, 1);
    this.#flow.book.isDirty = true;
    this.#flow.book.port.ask({
      key: DEADLINE,
      name: this.#flow.book.known.workflow.id,
      action: "deadline",
      message: "The time limit of the run.",
      expiresInMs: left,
      isTimer: true,
    });
  }

  tooLate(): RunFailed {
    const { timeout_ms = 0 } = this.#flow.book.known.workflow;
    const message = `The run took longer than its timeout_ms (${timeout_ms}).`;
    return new RunFailed({ code: "run_timeout", message, retryable: false });
  }
}
