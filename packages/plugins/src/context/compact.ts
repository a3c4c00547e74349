import {
  type ActionOf,
  type AfterInferenceContext,
  type BeforeInferenceContext,
  type CompactionFailure,
  type ContextWindow,
  changeState,
  emitEvent,
  type Message,
} from "@reprise/contracts";
import { compactMessages, summaryMessage } from "./compacted-request.ts";
import { type Boundary, type Compaction, compaction, type PendingCompaction } from "./compaction-state.ts";
import type { ContextSettings } from "./context-settings.ts";
import { countCovered, findFrontier, findIncidents, gatherEvidence, keptOf } from "./frontier.ts";
import type { SummaryJobs, SummaryStatus } from "./summary-jobs.ts";
import { askForSummary } from "./summary-prompt.ts";

type InferenceContext = BeforeInferenceContext | AfterInferenceContext;
type CompactionAction = Extract<ActionOf<"after_inference">, { type: "state" | "emit" }>;

const SUMMARY_TOKENS = 1_024;
const MIN_GAIN_TOKENS = 1_024;
/** The share of the window at which compaction begins when no threshold is set. */
const DEFAULT_SHARE = 0.8;
const WAIT_MS = 20_000;
/** The tokens of the question without the transcript. */
const PROMPT_TOKENS = 400;
/** The most that one message of a transcript has, since it is cut. */
const TRANSCRIPT_TOKENS = 800;
const PREVIEW_CHARACTERS = 280;
const MOST_TURNS = 50;
const MOST_REFS = 20;
/** After a failure the next attempt waits this long, and twice as long after each further one. */
const RETRY_MS = 30_000;
const MOST_RETRY_MS = 3_600_000;

/** A request of this size is compacted in the background. */
export function thresholdOf({ threshold_tokens }: ContextSettings, window: ContextWindow): number {
  const share = Math.floor((window.tokens - window.outputTokens) * DEFAULT_SHARE);
  return threshold_tokens ?? window.autocompactThreshold ?? share;
}

/** The compaction of a thread in one phase: what was decided so far, and the actions that make it so. */
export class Compactor {
  readonly actions: CompactionAction[] = [];
  readonly #context: InferenceContext;
  readonly #settings: ContextSettings;
  readonly #jobs: SummaryJobs;
  #state: Compaction;

  constructor(context: InferenceContext, settings: ContextSettings, jobs: SummaryJobs) {
    this.#context = context;
    this.#settings = settings;
    this.#jobs = jobs;
    this.#state = context.state.get(compaction);
  }

  get boundary(): Boundary | undefined {
    return this.#state.boundary;
  }

  get isPending(): boolean {
    return this.#state.pending !== undefined;
  }

  /** Takes the summary that was begun earlier, if it is there. */
  async take(): Promise<void> {
    const { pending } = this.#state;
    if (pending === undefined) return;
    const status = await this.#context.record("summary", () => ({ ...this.#jobs.take(pending.compaction_id) }));
    await this.#settle(pending, status);
  }

  /** Waits for the summary, though not for ever: then the request goes out without it, and the window leaves out old messages. */
  async wait(): Promise<void> {
    const { pending } = this.#state;
    if (pending === undefined) return;
    const { wait_ms: waitMs = WAIT_MS } = this.#settings;
    const status = await this.#context.record("awaited summary", async () => ({
      ...(await this.#jobs.wait(pending.compaction_id, waitMs)),
    }));
    await this.#settle(pending, status);
  }

  /** Has the next part of the thread summarised, if that can gain enough. One at a time. */
  async begin(window: ContextWindow, trigger: PendingCompaction["trigger"], estimate: number): Promise<void> {
    if (this.isPending) return;
    const plan = await this.#plan(window);
    if (plan === undefined) return;
    const { fresh, through, freshTokens } = plan;
    const context = this.#context;
    const id = context.id();
    const {
      summary_prompt: prompt,
      summary_model: model,
      summary_max_tokens: maxTokens = SUMMARY_TOKENS,
    } = this.#settings;
    const question = askForSummary({ fresh, previous: this.boundary?.summary, prompt, model, maxTokens });
    // A replay begins nothing.
    await context.record("begun", () => {
      this.#jobs.start(id, context.infer(question), context.signal);
      return true;
    });
    const turns = new Set(fresh.flatMap(({ metadata }) => metadata?.run_id ?? []));
    const fact = {
      compaction_id: id,
      trigger,
      through_message_id: through,
      messages: fresh.length,
      turns: [...turns].slice(-MOST_TURNS),
    };
    const pending: PendingCompaction = { ...fact, fresh_tokens: freshTokens };
    this.#state = { ...this.#state, pending };
    const background = trigger === "threshold";
    this.actions.push(
      changeState(compaction.begin(pending)),
      emitEvent("compaction_started", { ...fact, background, estimated_tokens: estimate }),
    );
  }

  /** Plans the next summary. Undefined when there is too little to summarise. */
  async #plan(window: ContextWindow) {
    const { messages, now } = this.#context;
    const { boundary, failures } = this.#state;
    if (failures !== undefined && now < failures.retry_at_ms) return undefined;
    const covered = countCovered(messages, boundary);
    const suffix = window.compactionMode === "compact_to_safe_frontier" ? 0 : window.compactionRawSuffixMessages;
    const limit = Math.min(messages.length - suffix, await this.#transcriptLimit(window, covered));
    const frontier = findFrontier(messages, limit);
    const through = messages[frontier - 1];
    if (frontier <= covered || through === undefined) return undefined;
    const fresh = messages.slice(covered, frontier).filter(({ role }) => role !== "system");
    const kept = new Set(keptOf(messages, frontier));
    const freshTokens = await this.#size(fresh.filter((message) => !kept.has(message)));
    const { min_gain_tokens: minGain = MIN_GAIN_TOKENS, summary_max_tokens: most = SUMMARY_TOKENS } = this.#settings;
    const { before, after } = await this.#compare(this.#draw(through.id, "", freshTokens));
    // Even with the longest summary it must be worth it.
    if (before - after - most < minGain) return undefined;
    return { fresh, through: through.id, freshTokens };
  }

  /** Up to where a transcript fits into the window of the model that summarises. */
  async #transcriptLimit(window: ContextWindow, covered: number): Promise<number> {
    const { messages, countTokens } = this.#context;
    const { summary_max_tokens: answer = SUMMARY_TOKENS } = this.#settings;
    let room = window.tokens - 2 * answer - PROMPT_TOKENS;
    let limit = covered;
    for (const message of messages.slice(covered)) {
      room -= Math.min(await countTokens({ messages: [message] }), TRANSCRIPT_TOKENS);
      if (room < 0) break;
      limit += 1;
    }
    // A window that is smaller than the question is no reason to stop: its model says whether it is too small.
    return Math.max(limit, covered + 1);
  }

  /** The boundary behind a message. What it is made of follows from the messages, but for the summary. */
  #draw(through: string, summary: string, freshTokens: number): Boundary {
    const { messages, now } = this.#context;
    const covered = countCovered(messages, this.boundary);
    // A thread that was rewound to before its boundary begins anew.
    const earlier = covered === 0 ? undefined : this.boundary;
    const frontier = messages.findIndex(({ id }) => id === through) + 1;
    return {
      covers_through_message_id: through,
      summary,
      ...gatherEvidence(messages.slice(covered, frontier), earlier),
      incidents: findIncidents(messages, frontier, earlier?.incidents),
      original_token_count: (earlier?.original_token_count ?? 0) + freshTokens,
      created_at_ms: now,
      number: (this.boundary?.number ?? 0) + 1,
    };
  }

  /** Counts the tokens of a request's messages now, and with another boundary. */
  async #compare(boundary: Boundary): Promise<{ readonly before: number; readonly after: number }> {
    const { messages } = this.#context;
    const before = await this.#size(compactMessages(messages, this.boundary));
    return { before, after: await this.#size(compactMessages(messages, boundary)) };
  }

  #size(messages: readonly Message[]): Promise<number> {
    return this.#context.countTokens({ messages });
  }

  async #settle(pending: PendingCompaction, status: SummaryStatus): Promise<void> {
    switch (status.status) {
      case "running":
        return;
      case "lost":
        return this.#drop(pending, "lost");
      case "failed":
        return this.#fail(pending, "no_answer", status.error);
      case "done":
        return this.#complete(pending, status.text.trim());
      default:
        return status satisfies never;
    }
  }

  async #complete(pending: PendingCompaction, summary: string): Promise<void> {
    if (summary === "") return this.#fail(pending, "no_answer", "The summary is empty.");
    const { messages } = this.#context;
    const boundary = this.#draw(pending.through_message_id, summary, pending.fresh_tokens);
    const frontier = countCovered(messages, boundary);
    // Rewound meanwhile: the summary tells of messages that are gone.
    if (frontier <= countCovered(messages, this.boundary)) return this.#drop(pending, "outdated");
    const { before, after } = await this.#compare(boundary);
    const { min_gain_tokens: minGain = MIN_GAIN_TOKENS } = this.#settings;
    if (before - after < minGain) return this.#fail(pending, "no_gain");
    this.#state = { boundary };
    const { fresh_tokens: _tokens, ...fact } = pending;
    const next = messages[frontier];
    this.actions.push(
      changeState(compaction.complete(boundary)),
      emitEvent("compaction_completed", {
        ...fact,
        summary_preview: summary.slice(0, PREVIEW_CHARACTERS).toWellFormed(),
        original_tokens: boundary.original_token_count,
        summary_tokens: await this.#size([summaryMessage(boundary)]),
        continuation_refs: [
          ...(next === undefined ? [] : [`message:${next.id}`]),
          ...boundary.incidents.map(({ call_id }) => `call:${call_id}`),
          ...boundary.evidence.slice(-MOST_REFS),
        ],
      }),
    );
  }

  #fail(pending: PendingCompaction, reason: CompactionFailure, error?: string): void {
    const { boundary, failures } = this.#state;
    const count = (failures?.count ?? 0) + 1;
    const pauseMs = Math.min(RETRY_MS * 2 ** (count - 1), MOST_RETRY_MS);
    const next = { count, retry_at_ms: this.#context.now + pauseMs };
    this.#state = { ...(boundary !== undefined && { boundary }), failures: next };
    this.actions.push(changeState(compaction.fail(next)), this.#failed(pending, reason, error));
  }

  /** For what is not the summary's fault: it is made again without waiting for more. */
  #drop(pending: PendingCompaction, reason: CompactionFailure): void {
    const { pending: _pending, ...rest } = this.#state;
    this.#state = rest;
    this.actions.push(changeState(compaction.drop()), this.#failed(pending, reason));
  }

  #failed({ fresh_tokens: _tokens, ...fact }: PendingCompaction, reason: CompactionFailure, error?: string) {
    return emitEvent("compaction_failed", { ...fact, reason, ...(error !== undefined && { error }) });
  }
}
