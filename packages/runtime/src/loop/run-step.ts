import {
  blobRefOf,
  type ContextFact,
  type FilePart,
  ModelError,
  parseDataUrl,
  type ToolCallRecord,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { BudgetExceeded } from "../budget/budget-exceeded.ts";
import { countTokens } from "../budget/record-cost.ts";
import { fitInference } from "../context/fit-inference.ts";
import { encodeFailure } from "../effects/failure.ts";
import { composeInference, type Inference, systemPrompt } from "../phases/compose-inference.ts";
import { viewCall } from "../phases/phase-view.ts";
import { refreshTools } from "../phases/refresh-tools.ts";
import { runPhase } from "../phases/run-phase.ts";
import { ModelUnavailable } from "../route/model-unavailable.ts";
import { answeredBy } from "../route/route-session.ts";
import { messageIdOf, stepIdOf } from "../thread/derived-ids.ts";
import { offeredTools } from "../tools/offered-tools.ts";
import type { Turn, TurnChunk } from "../turn/turn.ts";
import { askForBudget } from "./budget-question.ts";
import { EarlyReads } from "./early-reads.ts";
import { takeHandoff } from "./hand-off.ts";
import { assertMayRetry, readVerdict, type Verdict, withFeedback } from "./judge-answer.ts";
import { ModelTurn, type ModelTurnOptions, storedTurn } from "./model-turn.ts";
import { askForReview } from "./review-question.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { showAnswer, showChunk, showRoute } from "./step-events.ts";
import type { StepSummary } from "./summarise-step.ts";
import type { RoundOptions } from "./tool-round.ts";
import { assistantMessage, requestCall } from "./turn-records.ts";
import { endModelWait, waitForModel } from "./wait-for-model.ts";

/** What a step came to: the calls it asks for, a plugin's wish to end the run, or a question. */
export type TakenStep =
  | { readonly kind: "terminated"; readonly reason: string }
  /** Nothing was asked of the model: a person is asked first. */
  | { readonly kind: "paused" }
  /** A person is asked about the input or the answer; an approved answer is published by the decision. */
  | { readonly kind: "reviewed" }
  /** No model can be asked for longer than a claim is held for it. */
  | { readonly kind: "waiting" }
  | {
      readonly kind: "taken";
      readonly step: StepSummary;
      readonly calls: readonly ToolCallRecord[];
      readonly round: RoundOptions;
    };

/**
 * One model call, with the phases around it. The assistant message is added but not committed: tools or the end of the run
 * come with it.
 */
export async function runStep(workspace: RunWorkspace): Promise<TakenStep> {
  const { run } = workspace;
  const stepId = stepIdOf(run.run_id, run.steps + 1);
  workspace.setRun({ steps: run.steps + 1 });
  workspace.emit("step_start", { message_id: messageIdOf(stepId) }, stepId);
  await runPhase(workspace, "step_start");
  await refreshTools(workspace, stepId);

  const tools = offeredTools(workspace);
  const prepared = await runPhase(workspace, "before_inference", { system: systemPrompt(workspace), tools });
  const { ending, question, instead } = readVerdict(prepared);
  if (instead !== undefined && question === undefined) return answerStep(workspace, stepId, instead.text, ending);
  if (ending !== undefined) return endStep(workspace, stepId, ending);
  if (question !== undefined) {
    askForReview(workspace, stepId, question);
    return putOff(workspace, stepId, "reviewed");
  }
  const composed = composeInference(workspace, prepared, tools);
  const hasWindow = workspace.agent.spec.context_policy !== undefined;
  let inference = hasWindow ? await performFit(workspace, stepId, composed) : composed;
  if (inference.fact !== undefined) workspace.emit("context_resolved", inference.fact, stepId);

  for (let attempt = 1; ; ) {
    const mayReadEarly = workspace.agent.spec.start_reads_early && inference.isHeld !== true;
    const early = mayReadEarly ? new EarlyReads(workspace) : undefined;
    try {
      const taken = await takeStep(workspace, stepId, { inference, early, attempt });
      if (taken.kind !== "rejected") return taken;
      inference = taken.inference;
      attempt += 1;
    } catch (error) {
      early?.stop();
      if (error instanceof ModelUnavailable) {
        if (await waitForModel(workspace, stepId, error)) continue;
        return putOff(workspace, stepId, "waiting");
      }
      if (!mayAsk(error)) throw error;
      askForBudget(workspace, stepId, error);
      return putOff(workspace, stepId, "paused");
    }
  }
}

/** Ends a step that is taken once more later, and counts then. */
async function putOff(
  workspace: RunWorkspace,
  stepId: string,
  kind: "paused" | "waiting" | "reviewed",
): Promise<TakenStep> {
  await finishStep(workspace, stepId);
  workspace.setRun({ steps: workspace.run.steps - 1 });
  return { kind };
}

function mayAsk(error: unknown): error is BudgetExceeded {
  return error instanceof BudgetExceeded && error.allotment === undefined && error.budget.on_exceeded === "pause";
}

/** One attempt at a step. */
interface StepAttempt {
  readonly inference: Inference;
  readonly early: EarlyReads | undefined;
  /** Which answer of the step this is: more than one when plugins rejected those before. */
  readonly attempt: number;
}

/** Plugins rejected the answer: the model is asked again, and told why. */
interface RejectedStep {
  readonly kind: "rejected";
  readonly inference: Inference;
}

/** The model's turn and what follows from it, up to the tools. */
async function takeStep(
  workspace: RunWorkspace,
  stepId: string,
  { inference, early, attempt }: StepAttempt,
): Promise<TakenStep | RejectedStep> {
  const isAgain = attempt > 1 && inference.isHeld !== true;
  const { turn, reads, provider } = await infer(workspace, { stepId, inference, isAgain }, early);
  const calls = turn.calls.map((call) => requestCall(workspace, stepId, call, inference));
  // Noted at once: however the step continues, the end of the run gives each of them a result.
  for (const call of calls) workspace.setCall(call);
  const files = turn.files === undefined ? [] : await keepFiles(workspace, stepId, turn.files);
  if (inference.isHeld !== true) showFiles(workspace, stepId, files);
  const message = assistantMessage(workspace, stepId, { turn, files, provider }, calls);
  if (message !== undefined) workspace.addMessage(message);
  const { usage, stop_reason } = turn;
  const facts = {
    text: turn.text,
    reasoning: turn.reasoning,
    calls: calls.map(viewCall),
    tools: offeredTools(workspace),
    excludedTools: inference.excluded,
    usage,
    stopReason: stop_reason,
    resolved: inference.fact,
    attempt,
  };
  // Each answer of a step is a phase of its own.
  const { run_id, steps } = workspace.run;
  const key = attempt === 1 ? undefined : `${run_id}-s${steps}-after_inference-a${attempt}`;
  const verdict = readVerdict(await runPhase(workspace, "after_inference", facts, key));
  const { ending, question, feedback, instead } = verdict;
  const text = instead?.text ?? turn.text;
  if (feedback !== undefined) {
    reads?.stop();
    assertMayRetry(feedback.plugin, attempt);
    workspace.replaceAnswer(messageIdOf(stepId), undefined, calls);
    return { kind: "rejected", inference: withFeedback(inference, { stepId, attempt, said: text, feedback }) };
  }
  const said = instead === undefined ? turn : withText(turn, instead);
  const kept = said === turn ? message : assistantMessage(workspace, stepId, { turn: said, files, provider }, calls);
  const isChanged = said !== turn || question !== undefined;
  if (isChanged && inference.isHeld !== true) workspace.emit("step_reset", { message_id: messageIdOf(stepId) }, stepId);
  if (question !== undefined) {
    reads?.stop();
    workspace.replaceAnswer(messageIdOf(stepId), undefined, calls);
    askForReview(workspace, stepId, question, {
      turn: storedTurn(said),
      ...(kept !== undefined && { message: kept }),
      calls,
    });
    return putOff(workspace, stepId, "reviewed");
  }
  if (isChanged) workspace.replaceAnswer(messageIdOf(stepId), kept);
  if (isChanged || inference.isHeld === true) showAnswer(workspace, stepId, said);
  if (inference.isHeld === true) showFiles(workspace, stepId, files);
  const step = {
    text,
    tools: calls.map(({ tool_id }) => tool_id),
    is_truncated: stop_reason === "max_tokens",
    last_message_id: workspace.lastMessage?.id,
  };
  if (ending !== undefined) {
    reads?.stop();
    return endStep(workspace, stepId, ending);
  }
  if (calls.length === 0) reads?.stop();
  await finishStep(workspace, stepId);
  return {
    kind: "taken",
    step,
    calls,
    round: reads === undefined ? {} : { early: reads },
  };
}

function withText(turn: Turn, { text, drop_reasoning }: NonNullable<Verdict["instead"]>): Turn {
  return { ...turn, text, ...(drop_reasoning === true && { reasoning: "", encrypted: undefined }) };
}

/** A step whose answer a plugin gives: the model is not asked. */
async function answerStep(
  workspace: RunWorkspace,
  stepId: string,
  text: string,
  ending: string | undefined,
): Promise<TakenStep> {
  const turn: Turn = { text, reasoning: "", encrypted: undefined, calls: [], stop_reason: "end_turn", usage: {} };
  const message = assistantMessage(workspace, stepId, { turn, files: [], provider: undefined }, []);
  if (message !== undefined) workspace.addMessage(message);
  showAnswer(workspace, stepId, turn);
  if (ending !== undefined) return endStep(workspace, stepId, ending);
  const step = { text, tools: [], is_truncated: false, last_message_id: workspace.lastMessage?.id };
  await finishStep(workspace, stepId);
  return { kind: "taken", step, calls: [], round: {} };
}

/** Shows the files the model made, with the commit that makes them part of the thread. */
function showFiles(workspace: RunWorkspace, stepId: string, files: readonly FilePart[]): void {
  for (const [index, { url, media_type }] of files.entries()) {
    const content = { url, ...(media_type !== undefined && { media_type }) };
    const message_id = `${messageIdOf(stepId)}-f${index}`;
    workspace.emitOnCommit("activity_snapshot", { message_id, activity_type: "file", content }, stepId);
  }
}

async function endStep(workspace: RunWorkspace, stepId: string, reason: string): Promise<TakenStep> {
  await finishStep(workspace, stepId);
  return { kind: "terminated", reason };
}

async function finishStep(workspace: RunWorkspace, stepId: string): Promise<void> {
  takeHandoff(workspace, await runPhase(workspace, "step_end"));
  workspace.emitOnCommit("step_end", {}, stepId);
}

/** Makes the request fit its model. Only the window and the tokenizer of that model know how. */
function performFit(workspace: RunWorkspace, stepId: string, inference: Inference): Promise<Inference> {
  const encode = ({ fact, refusal }: Inference): Json => ({
    ...(fact !== undefined && { fact: fact as Json }),
    ...(refusal !== undefined && { refusal: encodeFailure(refusal) }),
  });
  const decode = (stored: Json | undefined): Inference => {
    // Written just above.
    const { fact } = (stored ?? {}) as { readonly fact?: ContextFact };
    return { ...inference, ...(fact !== undefined && { fact }) };
  };
  return workspace.effects.perform({ kind: "context", of: stepId, encode, decode }, () =>
    fitInference(workspace, inference),
  );
}

/** What a model said, who it was when there was a choice, and what reads were begun meanwhile and still count. */
interface Inferred {
  readonly turn: Turn;
  readonly provider: string | undefined;
  readonly reads: EarlyReads | undefined;
}

/** Asks the model, and keeps the books. */
async function infer(
  workspace: RunWorkspace,
  { stepId, inference, isAgain }: Omit<ModelTurnOptions, "show">,
  early: EarlyReads | undefined,
): Promise<Inferred> {
  workspace.assertHeld();
  let reads = early;
  const show = (chunk: TurnChunk): void => {
    if (inference.isHeld === true) return;
    showChunk(workspace, stepId, chunk);
    // What a new attempt asks for may be something else: nothing more is begun before it is sure.
    if (chunk.type === "reset") {
      reads?.stop();
      reads = undefined;
    } else if (chunk.type === "tool_call_ready") {
      reads?.offer(requestCall(workspace, stepId, chunk.call, inference), chunk.index);
    }
  };
  const asked = new ModelTurn(workspace, { stepId, inference, isAgain, show });
  const turn = await asked.take().catch((error: unknown) => {
    showRoute(workspace, stepId, asked.facts);
    throw error;
  });
  await reads?.settle();
  showRoute(workspace, stepId, asked.facts);
  countTokens(workspace, turn.usage);
  endModelWait(workspace);
  const { attempts, duration_ms } = asked.facts;
  const { provider, model = asked.facts.model } = answeredBy(attempts) ?? {};
  workspace.emitOnCommit("inference_complete", { model, usage: turn.usage, duration_ms }, stepId);
  return { turn, reads, provider };
}

/**
 * Puts what a model made into the blob store and names it there: a thread holds no bytes. What lies somewhere on the web stays
 * where it is.
 */
async function keepFiles(
  workspace: RunWorkspace,
  stepId: string,
  files: readonly FilePart[],
): Promise<readonly FilePart[]> {
  // Parts are made of JSON; their interface hides it.
  const encode = (parts: readonly FilePart[]): Json => parts as unknown as Json;
  const kept = await workspace.effects.perform({ kind: "files", of: stepId, encode }, () => putFiles(workspace, files));
  // Media is in the blob store already.
  workspace.refersTo(kept.map(({ url }) => blobRefOf(url)).filter((ref) => ref.startsWith("blob:")));
  return kept;
}

async function putFiles({ services, claim }: RunWorkspace, files: readonly FilePart[]): Promise<readonly FilePart[]> {
  const kept: FilePart[] = [];
  for (const file of files) {
    const { media_type } = file;
    const info = media_type === undefined ? {} : { media_type };
    if (!file.url.startsWith("data:")) kept.push(file);
    else kept.push({ ...file, url: (await services.blobs.put(claim.tenant, bytesOf(file.url), info)).ref });
  }
  return kept;
}

/** The bytes of a `data:` URL. */
function bytesOf(url: string): Uint8Array {
  try {
    const { isBase64, body } = parseDataUrl(url) ?? { isBase64: false, body: url };
    if (!isBase64) return new TextEncoder().encode(decodeURIComponent(body));
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new ModelError("malformed_response", "The model made a file that cannot be read.", { cause });
  }
}
