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
import { type PhaseResult, runPhase } from "../phases/run-phase.ts";
import { ModelUnavailable } from "../route/model-unavailable.ts";
import { answeredBy } from "../route/route-session.ts";
import { messageIdOf, stepIdOf } from "../thread/derived-ids.ts";
import { offeredTools } from "../tools/offered-tools.ts";
import type { Turn, TurnChunk } from "../turn/turn.ts";
import { askForBudget } from "./budget-question.ts";
import { EarlyReads } from "./early-reads.ts";
import { ModelTurn } from "./model-turn.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { showChunk, showRoute } from "./step-events.ts";
import type { StepSummary } from "./summarise-step.ts";
import type { RoundOptions } from "./tool-round.ts";
import { assistantMessage, requestCall } from "./turn-records.ts";
import { endModelWait, waitForModel } from "./wait-for-model.ts";

/** What a step came to: the calls it asks for, a plugin's wish to end the run, or a question. */
export type TakenStep =
  | { readonly kind: "terminated"; readonly reason: string }
  /** Nothing was asked of the model: a person is asked first. */
  | { readonly kind: "paused" }
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
  const refusal = reasonToEnd(prepared);
  if (refusal !== undefined) return endStep(workspace, stepId, refusal);
  const composed = composeInference(workspace, prepared, tools);
  const hasWindow = workspace.agent.spec.context_policy !== undefined;
  const inference = hasWindow ? await performFit(workspace, stepId, composed) : composed;
  if (inference.fact !== undefined) workspace.emit("context_resolved", inference.fact, stepId);

  for (;;) {
    const early = workspace.agent.spec.start_reads_early ? new EarlyReads(workspace) : undefined;
    try {
      return await takeStep(workspace, stepId, inference, early);
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
async function putOff(workspace: RunWorkspace, stepId: string, kind: "paused" | "waiting"): Promise<TakenStep> {
  await finishStep(workspace, stepId);
  workspace.setRun({ steps: workspace.run.steps - 1 });
  return { kind };
}

function mayAsk(error: unknown): error is BudgetExceeded {
  return error instanceof BudgetExceeded && error.budget.on_exceeded === "pause";
}

/** The model's turn and what follows from it, up to the tools. */
async function takeStep(
  workspace: RunWorkspace,
  stepId: string,
  inference: Inference,
  early: EarlyReads | undefined,
): Promise<TakenStep> {
  const { turn, reads, provider } = await infer(workspace, stepId, inference, early);
  const calls = turn.calls.map((call) => requestCall(workspace, stepId, call, inference));
  // Noted at once: however the step goes on, the end of the run gives each of them a result.
  for (const call of calls) workspace.setCall(call);
  const files = turn.files === undefined ? [] : await keepFiles(workspace, stepId, turn.files);
  for (const [index, { url, media_type }] of files.entries()) {
    const content = { url, ...(media_type !== undefined && { media_type }) };
    const message_id = `${messageIdOf(stepId)}-f${index}`;
    workspace.emitOnCommit("activity_snapshot", { message_id, activity_type: "file", content }, stepId);
  }
  const message = assistantMessage(workspace, stepId, { turn, files, provider }, calls);
  if (message !== undefined) workspace.addMessage(message);
  const summary = { text: turn.text, tools: calls.map(({ tool_id }) => tool_id) };
  const { usage, stop_reason } = turn;
  const is_truncated = stop_reason === "max_tokens";
  const step = { ...summary, is_truncated, last_message_id: workspace.lastMessage?.id };

  const facts = {
    text: turn.text,
    calls: calls.map(viewCall),
    excludedTools: inference.excluded,
    usage,
    stopReason: stop_reason,
    resolved: inference.fact,
  };
  const ending = reasonToEnd(await runPhase(workspace, "after_inference", facts));
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

/** Why a plugin wants the run to end here, if one does; it need not say. */
function reasonToEnd(actions: PhaseResult<"before_inference"> | PhaseResult<"after_inference">): string | undefined {
  for (const { value } of actions) if (value.type === "terminate") return value.reason ?? "";
  return undefined;
}

async function endStep(workspace: RunWorkspace, stepId: string, reason: string): Promise<TakenStep> {
  await finishStep(workspace, stepId);
  return { kind: "terminated", reason };
}

async function finishStep(workspace: RunWorkspace, stepId: string): Promise<void> {
  await runPhase(workspace, "step_end");
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
  stepId: string,
  inference: Inference,
  early: EarlyReads | undefined,
): Promise<Inferred> {
  workspace.assertHeld();
  let reads = early;
  const show = (chunk: TurnChunk): void => {
    showChunk(workspace, stepId, chunk);
    // What a new attempt asks for may be something else: nothing more is begun before it is sure.
    if (chunk.type === "reset") {
      reads?.stop();
      reads = undefined;
    } else if (chunk.type === "tool_call_ready") {
      reads?.offer(requestCall(workspace, stepId, chunk.call, inference), chunk.index);
    }
  };
  const asked = new ModelTurn(workspace, { stepId, inference, show });
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
