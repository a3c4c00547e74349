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
/** Of what a request may have, when no threshold is set. */
const DEFAULT_SHARE = 0.8;
const WAIT_MS = 20_000;
/** What the question has beside the transcript. */
const PROMPT_TOKENS = 400;
/** The most that one message of a transcript has, since it is cut. */
const TRANSCRIPT_TOKENS = 800;
const PREVIEW_CHARACTERS = 280;
const MOST_TURNS = 50;
const MOST_REFS = 20;
/** Failures in a row make the next attempt wait for more to summarise, twice as much each time. */
const MOST_DOUBLINGS = 6;

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
      this.#jobs.start(id, context.infer(question));
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

  /** What to summarise next; undefined when it is too little. */
  async #plan(window: ContextWindow) {
    const { messages } = this.#context;
    const { boundary, failures } = this.#state;
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
    const earlier = boundary === undefined || covered === 0 ? 0 : await this.#size([summaryMessage(boundary)]);
    if (freshTokens + earlier - most < minGain) return undefined;
    if (failures !== undefined) {
      const more = minGain * 2 ** Math.min(failures.count - 1, MOST_DOUBLINGS);
      if (freshTokens < failures.fresh_tokens + more) return undefined;
    }
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
    const { messages, now } = this.#context;
    const { boundary: earlier } = this.#state;
    const covered = countCovered(messages, earlier);
    const frontier = messages.findIndex(({ id }) => id === pending.through_message_id) + 1;
    // Rewound meanwhile: the summary tells of messages that are gone.
    if (frontier <= covered) return this.#drop(pending, "outdated");
    const previous = covered === 0 ? undefined : earlier;
    const boundary: Boundary = {
      covers_through_message_id: pending.through_message_id,
      summary,
      ...gatherEvidence(messages.slice(covered, frontier), previous),
      incidents: findIncidents(messages, frontier, previous?.incidents),
      original_token_count: (previous?.original_token_count ?? 0) + pending.fresh_tokens,
      created_at_ms: now,
      number: (earlier?.number ?? 0) + 1,
    };
    const before = await this.#size(compactMessages(messages, previous));
    const after = await this.#size(compactMessages(messages, boundary));
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
    const next = { count: (failures?.count ?? 0) + 1, fresh_tokens: pending.fresh_tokens };
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
