import {
  describeThrown,
  type GeneratedMedia,
  type MediaJobStatus,
  type MediaModality,
  type MediaModel,
  type MediaRequest,
  ModelError,
  type ModelErrorKind,
  type ModelPricing,
  type ModelSpec,
  mediaCostOf,
  RepriseError,
  type WorkGate,
} from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { AgentNode } from "../document/workflow-document.ts";
import type { MediaJob, NodeExecContext, NodeFailure, NodeOutcome } from "../node/node-executor.ts";
import type { AgentRunnerDeps, NodeBlobs } from "./agent-runner-deps.ts";
import { modelFailure, nodeFailure } from "./failure-ladder.ts";
import { type PlannedModel, specOf, unavailable } from "./fallback-plan.ts";
import { keepMedia, type MediaPart, mediaOutput } from "./node-media.ts";

/** What an agent node with a generative model asks for. */
export interface MediaWish {
  readonly node: Pick<AgentNode, "output_modalities" | "count" | "duration_seconds">;
  readonly primary: PlannedModel;
  /** Authored, and put before the prompt. */
  readonly system: string;
  readonly prompt: string;
}

/** What was checked before anything is sent. */
interface MediaOrder {
  readonly model: MediaModel;
  readonly name: string;
  readonly provider: string;
  readonly blobs: NodeBlobs;
  readonly pricing: ModelPricing | undefined;
}

const MEDIA: readonly string[] = ["image", "audio", "video"];

/** A day of film, in seconds: what a model reports beyond it cannot be true. */
const MOST_UNITS = 86_400;

/**
 * Has a generative model make what a node asks for. One provider is asked and no other stands in for it: what failed may have been made, and paid for.
 * A model that works with jobs only starts one.
 */
export async function generateMedia(
  deps: AgentRunnerDeps,
  context: NodeExecContext,
  wish: MediaWish,
): Promise<NodeOutcome> {
  const { node, primary, system, prompt } = wish;
  if (prompt.trim() === "") return failed(nodeFailure("validation", "The prompt of a media node must not be empty."));
  const modality = modalityOf(wish);
  if (typeof modality === "object") return failed(modality);
  const order = placeOrder(deps, primary);
  if ("error" in order) return failed(order.error);
  const { count = 1, duration_seconds } = node;
  const volume = count * (modality === "image" ? 1 : (duration_seconds ?? 1));
  const refused = await askGate(deps, context, order, volume);
  if (refused !== undefined) return failed(refused);
  const options: JsonObject = duration_seconds === undefined ? {} : { duration_seconds };
  const request: MediaRequest = {
    prompt: system === "" ? prompt : `${system}\n\n${prompt}`,
    modality,
    options,
    ...reach(deps, context),
  };
  if (order.model.submit !== undefined) return submit(order, context, request, count);
  return make(order, context, Array<MediaRequest>(count).fill(request), volume / count);
}

/** One question about a job may take this long. */
const POLL_TIMEOUT_MS = 60_000;
/** After this many failed questions in a row a job is given up: about a quarter of an hour. */
const MOST_FAILED_POLLS = 20;
const FIRST_POLL_PAUSE_MS = 1_000;
const LONGEST_POLL_PAUSE_MS = 60_000;

/**
 * Asks about a job that a media node has started. Answers with another `media_job` while it runs. The job is paid for, so a question that failed and may
 * succeed later is asked again, with growing pauses, and the job is never started twice.
 */
export async function pollMediaJob(
  deps: AgentRunnerDeps,
  context: NodeExecContext,
  job: MediaJob,
): Promise<NodeOutcome> {
  const provider = deps.resolveProvider(job.provider);
  if (provider === undefined) {
    return failed(nodeFailure("internal", `The host has no provider ${JSON.stringify(job.provider)}.`));
  }
  const order = placeOrder(deps, { provider, model: job.model, maxAttempts: 1 });
  if ("error" in order) return failed(order.error);
  if (order.model.poll === undefined) {
    return failed(nodeFailure("internal", `Model ${job.model} of provider ${job.provider} does not know jobs.`));
  }
  const { failures: _, ...asked } = job;
  try {
    const state = await poll(deps, context, order.model, job.job_id);
    if (state.status === "running") return { kind: "media_job", job: { ...asked, poll_after_ms: state.poll_after_ms } };
    const media = await keepAll(order, [state.media]);
    // Media that could not be stored is fetched again.
    if ("error" in media) return pollLater(context, job, media.error, undefined);
    count(order, context, [state.media], 1);
    return madeOf(order, media.parts);
  } catch (error) {
    const failure = mediaFailure(error);
    if (!failure.retryable || context.signal.aborted) return failed(failure);
    return pollLater(context, job, failure, ModelError.is(error) ? error.retryAfterMs : undefined);
  }
}

async function poll(
  { env, ...deps }: AgentRunnerDeps,
  context: NodeExecContext,
  model: MediaModel,
  jobId: string,
): Promise<MediaJobStatus> {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (reason: unknown): void => {
    controller.abort(reason);
    reject(reason);
  };
  const onAbort = (): void => stop(new ModelError("cancelled", "The question about a job was cancelled."));
  const cancel = env.clock.after(POLL_TIMEOUT_MS, () => stop(new ModelError("timeout", "The question took too long.")));
  context.signal.addEventListener("abort", onAbort, { once: true });
  try {
    const asked = model.poll?.(jobId, { ...reach({ env, ...deps }, context), signal: controller.signal });
    return await Promise.race([asked ?? promise, promise]);
  } finally {
    cancel();
    context.signal.removeEventListener("abort", onAbort);
  }
}

/** The job once more, after a pause that grows with every question in a row that failed. */
function pollLater(
  { path }: NodeExecContext,
  job: MediaJob,
  { code, message }: NodeFailure,
  askedMs: number | undefined,
): NodeOutcome {
  const failures = (job.failures ?? 0) + 1;
  if (failures >= MOST_FAILED_POLLS) {
    const why = `Node ${path} gave up on job ${job.job_id} of ${job.provider} after ${failures} failed questions: ${message}`;
    return failed(nodeFailure(code, why));
  }
  const pause = Math.min(FIRST_POLL_PAUSE_MS * 2 ** (failures - 1), LONGEST_POLL_PAUSE_MS);
  return { kind: "media_job", job: { ...job, failures, poll_after_ms: Math.max(pause, askedMs ?? 0) } };
}

function failed(error: NodeFailure): NodeOutcome {
  return { kind: "failed", error };
}

function reach({ env }: AgentRunnerDeps, { signal }: NodeExecContext): Pick<MediaRequest, "signal" | "download"> {
  return { signal, ...(env.egress !== undefined && { download: env.egress.download }) };
}

/** The one kind of media that is made: of the node, or else the only one that the model makes. */
function modalityOf({ node, primary }: MediaWish): MediaModality | NodeFailure {
  const wanted = node.output_modalities ?? specOf(primary)?.modalities?.output ?? [];
  const [only] = wanted;
  if (wanted.length > 1) {
    return nodeFailure("validation", `A media node makes one kind of media (got ${wanted.join(", ")}).`);
  }
  if (only !== undefined && isMedia(only)) return only;
  const got = only === undefined ? "none" : only;
  return nodeFailure(
    "validation",
    `output_modalities must name image, audio or video for a generative model (got ${got}).`,
  );
}

function isMedia(modality: string): modality is MediaModality {
  return MEDIA.includes(modality);
}

function placeOrder(
  { blobs }: Pick<AgentRunnerDeps, "blobs">,
  planned: PlannedModel,
): MediaOrder | { readonly error: NodeFailure } {
  const { provider, model: name } = planned;
  if (provider.media === undefined) {
    return { error: nodeFailure("internal", `Provider ${provider.id} makes no media, and ${name} is generative.`) };
  }
  if (blobs === undefined) return { error: nodeFailure("internal", "The host has no blob store for the media.") };
  try {
    return { model: provider.media(name), name, provider: provider.id, blobs, pricing: specOf(planned)?.pricing };
  } catch (error) {
    return { error: unavailable(provider.id, name, error) };
  }
}

/** Asked for the gate alone: media has no tokens, and what it costs is known when it is made. */
async function askGate(
  { preEgress }: AgentRunnerDeps,
  { runId, path }: NodeExecContext,
  { provider, name: model, pricing }: MediaOrder,
  volume: number,
): Promise<NodeFailure | undefined> {
  const worstCase = { microcents: mediaCostOf(volume, pricing).microcents, tokens: 0 };
  try {
    return await preEgress?.({ runId, path, provider, model, worstCase });
  } catch (error) {
    return nodeFailure("internal", `The check before a request failed: ${describeThrown(error)}`);
  }
}

async function submit(
  order: MediaOrder,
  context: NodeExecContext,
  request: MediaRequest,
  count: number,
): Promise<NodeOutcome> {
  const { provider, name: model } = order;
  if (count > 1) return failed(nodeFailure("validation", `Model ${model} makes one item a job (count is ${count}).`));
  try {
    const job = await pay(order, context, async () => {
      const ticket = await order.model.submit?.(request);
      // What it costs is known when it is made, perhaps in another process: the budget counts what was set aside for it.
      return { value: ticket, end: "unknown" };
    });
    if (job === undefined) return failed(nodeFailure("internal", `Model ${model} started no job.`));
    return { kind: "media_job", job: { provider, model, ...job } };
  } catch (error) {
    return failed(mediaFailure(error));
  }
}

/** Sends one request through the budget of the run, where it has one. */
async function pay<Value>(
  order: MediaOrder,
  { gate, signal }: NodeExecContext,
  send: () => Promise<{ readonly value: Value; readonly end: MediaEnd }>,
): Promise<Value> {
  const { provider, name, pricing } = order;
  const spec: ModelSpec = {
    id: `${provider}/${name}`,
    provider,
    model: name,
    surface: "generative",
    ...(pricing !== undefined && { pricing }),
  };
  const request = { system: "", messages: [], tools: [], options: {}, signal };
  const ticket = await gate?.open({ provider, model: spec.id, spec, request });
  try {
    const { value, end } = await send();
    ticket?.ended(end);
    return value;
  } catch (error) {
    // A provider that refused made nothing. Anything else may have been made, and paid for.
    ticket?.ended(ModelError.is(error) && REFUSALS.has(error.kind) ? "refused" : "unknown");
    throw error;
  }
}

type MediaEnd = Parameters<Awaited<ReturnType<WorkGate["open"]>>["ended"]>[0];

const REFUSALS: ReadonlySet<ModelErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "auth",
  "quota",
  "invalid_request",
  "context_length",
  "content_filter",
]);

/** One after the other: what was made before a failure is paid for and counted. */
async function make(
  order: MediaOrder,
  context: NodeExecContext,
  requests: readonly MediaRequest[],
  unitsEach: number,
): Promise<NodeOutcome> {
  const made: GeneratedMedia[] = [];
  try {
    for (const request of requests) {
      const one = await pay(order, context, async () => {
        const value = await order.model.generate(request);
        const { microcents } = mediaCostOf(isBelievable(value.units) ? value.units : unitsEach, order.pricing);
        return { value, end: { amount: { microcents, tokens: 0 } } };
      });
      made.push(one);
    }
  } catch (error) {
    if (made.length > 0) count(order, context, made, unitsEach);
    return failed(mediaFailure(error));
  }
  return settle(order, context, made, unitsEach);
}

async function settle(
  order: MediaOrder,
  context: NodeExecContext,
  made: readonly GeneratedMedia[],
  unitsEach: number,
): Promise<NodeOutcome> {
  count(order, context, made, unitsEach);
  const media = await keepAll(order, made);
  return "error" in media ? failed(media.error) : madeOf(order, media.parts);
}

async function keepAll(
  { blobs }: MediaOrder,
  made: readonly GeneratedMedia[],
): Promise<{ readonly parts: readonly MediaPart[] } | { readonly error: NodeFailure }> {
  const parts: MediaPart[] = [];
  try {
    for (const { content, media_type } of made) parts.push(await keepMedia(blobs, content, media_type));
    return { parts };
  } catch (error) {
    return { error: nodeFailure("internal", `The media could not be stored: ${describeThrown(error)}`) };
  }
}

function madeOf({ name: model }: MediaOrder, media: readonly MediaPart[]): NodeOutcome {
  return { kind: "completed", output: mediaOutput("", media), tokensUsed: { input: 0, output: 0, model } };
}

/** The one cost event of a media node. Without a price it is 0. */
function count(
  { name: model, pricing }: MediaOrder,
  { emit }: NodeExecContext,
  made: readonly GeneratedMedia[],
  unitsEach: number,
): void {
  const units = made.reduce((sum, one) => sum + (isBelievable(one.units) ? one.units : unitsEach), 0);
  const { microcents: cost_microcents, priced } = mediaCostOf(units, pricing);
  emit({
    type: "node_cost",
    data: {
      model,
      input_tokens: 0,
      output_tokens: 0,
      cost_microcents,
      cumulative_cost_microcents: cost_microcents,
      attempt: 1,
      priced,
    },
  });
}

function isBelievable(units: number): boolean {
  return units >= 0 && units <= MOST_UNITS;
}

function mediaFailure(error: unknown): NodeFailure {
  if (ModelError.is(error)) return modelFailure(error);
  // A gate carries its reason in an error of its own.
  const reason = error instanceof Error && error.name === "AttemptRefused" ? error.cause : error;
  if (RepriseError.is(reason, "BUDGET_EXCEEDED")) return nodeFailure("budget_exceeded", reason.message);
  return nodeFailure("internal", `The media model failed: ${describeThrown(error)}`);
}
