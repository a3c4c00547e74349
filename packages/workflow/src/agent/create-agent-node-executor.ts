import { describeThrown, type Message } from "@reprise/contracts";
import {
  findSectionProblem,
  readOutput,
  runToolLoop,
  type ToolLoopFailure,
  type ToolLoopResult,
} from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";
import type { AgentNode } from "../document/workflow-document.ts";
import type { FailedNode, NodeExecContext, NodeExecutor, NodeFailure, NodeOutcome } from "../node/node-executor.ts";
import { renderTemplate } from "../template/resolve-template.ts";
import { grantTools, openChain, requestOptions, spill, systemOf } from "./agent-request.ts";
import type { AgentRunnerDeps } from "./agent-runner-deps.ts";
import { CANCELLED, loopFailure, nodeFailure } from "./failure-ladder.ts";
import { chainEntries, planFallbacks } from "./fallback-plan.ts";
import { generateMedia } from "./generate-media.ts";
import { keepFiles, mediaOutput } from "./node-media.ts";

/**
 * Executes agent nodes: runs the turns of the node's model, its tools included, and comes to one outcome. Holds nothing between two executions, so that
 * runs may share it.
 */
export function createAgentNodeExecutor(deps: AgentRunnerDeps): NodeExecutor {
  return async (context) => {
    const { vertex, signal } = context;
    if (vertex.node.type !== "agent") {
      const message = `The agent runner cannot execute node ${vertex.id}: it is of the type ${vertex.type}.`;
      return failed(nodeFailure("internal", message));
    }
    if (signal.aborted) return failed(CANCELLED);
    try {
      const outcome = await runAgentNode(deps, context, vertex.node);
      return signal.aborted ? cancelled(outcome) : outcome;
    } catch (error) {
      // The announcement of a call could not be stored: that is the run's trouble and no outcome of the node.
      if (signal.aborted) return failed(CANCELLED);
      throw error;
    }
  };
}

function failed(error: NodeFailure): NodeOutcome {
  return { kind: "failed", error };
}

/** Cancelling wins; what was used until then is counted. */
function cancelled(outcome: NodeOutcome): NodeOutcome {
  const tokensUsed = "tokensUsed" in outcome ? outcome.tokensUsed : undefined;
  return { kind: "failed", error: CANCELLED, ...(tokensUsed !== undefined && { tokensUsed }) };
}

async function runAgentNode(deps: AgentRunnerDeps, context: NodeExecContext, node: AgentNode): Promise<NodeOutcome> {
  const { agent } = context.vertex;
  if (agent === undefined) {
    const message = `Node ${node.id} refers to the agent ${JSON.stringify(node.agent_ref)}, which the document does not have.`;
    return failed(nodeFailure("validation", message));
  }
  const plan = planFallbacks(deps, node, agent, context.attemptNumber);
  if (!plan.ok) return failed(plan.error);
  const prompt = await resolvePrompt(deps, context, node);
  if (!prompt.ok) return failed(prompt.error);
  const misfit = agent.input_schema === undefined ? undefined : findInputProblem(agent.input_schema, prompt.text);
  if (misfit !== undefined) return failed(misfit);
  const { primary, entries } = plan;
  const system = systemOf(agent, node);
  if (deps.resolveMediaSurface?.(primary.model) === "generative") {
    return generateMedia(deps, context, { node, primary, system, prompt: prompt.text });
  }
  const granted = grantTools(deps, agent, node);
  if (!granted.ok) return failed(granted.error);
  const models = chainEntries(deps, entries);
  if (!models.ok) return failed(models.error);
  const schema = node.output_schema ?? agent.output_schema;
  const unfit = schema === undefined ? undefined : findSchemaProblem(schema);
  if (unfit !== undefined) return failed(unfit);
  const options = requestOptions(agent, node);
  const chain = openChain(deps, {
    key: context.idempotencyKey,
    entries: models.entries,
    options,
    asked: context,
    gate: context.gate,
  });
  const message: Message = { id: `${context.idempotencyKey}-prompt`, role: "user", content: prompt.text };
  const result = await runToolLoop({
    key: context.idempotencyKey,
    chain,
    system,
    messages: [message],
    tools: granted.tools,
    options,
    ...(schema !== undefined && { outputSchema: { schema } }),
    hash: (text) => deps.env.hash(text),
    emit: context.emit,
    dispatch: (call) => deps.registry.dispatch({ call, agentId: agent.id, node: context, signal: context.signal }),
    spill: (text) => spill(deps, text),
    signal: context.signal,
    ...(deps.limits !== undefined && { limits: deps.limits }),
  });
  return settle(deps, result, schema);
}

async function resolvePrompt(
  deps: AgentRunnerDeps,
  { scope }: NodeExecContext,
  { id, prompt_template }: AgentNode,
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: NodeFailure }> {
  const { resolveTemplate = renderTemplate, resolverCapabilities = {}, fsScope = "sandboxed" } = deps;
  const resolved = await resolveTemplate(prompt_template, scope, { ...resolverCapabilities, fsScope });
  if ("value" in resolved) return { ok: true, text: resolved.value };
  const { code, message, retryable } = resolved.failure;
  return { ok: false, error: nodeFailure(code, `The prompt of node ${id} cannot be filled in: ${message}`, retryable) };
}

async function settle(
  deps: AgentRunnerDeps,
  { outcome, tokens, model }: ToolLoopResult,
  schema: JsonObject | undefined,
): Promise<NodeOutcome> {
  const tokensUsed = { ...tokens, model };
  if (outcome.kind !== "answered") {
    return { kind: "failed", error: loopFailure(outcome), tokensUsed, ...patienceAfter(outcome) };
  }
  const { text, files } = outcome.answer;
  const complete = (output: Json): NodeOutcome => ({ kind: "completed", output, tokensUsed });
  const refuse = (error: NodeFailure): NodeOutcome => ({ kind: "failed", error, tokensUsed });
  if (schema !== undefined) {
    // A request for a shape is a hint, which not every provider keeps.
    const read = readOutput(schema, text);
    if (read.ok) return complete(read.value);
    return refuse(nodeFailure("validation", `The answer does not fit output_schema: ${read.problem}.`));
  }
  if (files.length === 0) return complete(text);
  if (deps.blobs === undefined) return refuse(nodeFailure("internal", "The host has no blob store for the media."));
  try {
    const media = await keepFiles(deps.blobs, files);
    if (media !== undefined) return complete(mediaOutput(text, media));
    return refuse(nodeFailure("provider_unavailable", "The model made a file that cannot be read.", true));
  } catch (error) {
    return refuse(nodeFailure("internal", `The media could not be stored: ${describeThrown(error)}`));
  }
}

/** An agent with an `input_schema` is told JSON that fits it. */
function findInputProblem(schema: JsonObject, prompt: string): NodeFailure | undefined {
  const unfit = findSchemaProblem(schema);
  if (unfit !== undefined) return unfit;
  const read = readOutput(schema, prompt);
  return read.ok ? undefined : nodeFailure("validation", `The prompt does not fit input_schema: ${read.problem}.`);
}

/** Found before anything is sent. */
function findSchemaProblem(schema: JsonObject): NodeFailure | undefined {
  try {
    findSectionProblem(schema, null);
    return undefined;
  } catch (error) {
    return nodeFailure("validation", `A schema of the agent cannot be used: ${describeThrown(error)}`);
  }
}

/** What the chain knows of another attempt. */
function patienceAfter(failure: ToolLoopFailure): Pick<FailedNode, "isSpent" | "retryAfterMs"> {
  if (failure.kind !== "model") return {};
  const { isSpent, error } = failure;
  return {
    ...(isSpent && { isSpent }),
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  };
}
