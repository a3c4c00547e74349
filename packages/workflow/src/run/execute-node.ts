import { describeThrown, Secret } from "@reprise/contracts";
import { isJson, type Json, type JsonObject } from "@reprise/state";
import { revealSecrets } from "../document/reveal-secrets.ts";
import type { WorkflowNode } from "../document/workflow-document.ts";
import type { NodeFailure, NodeOutcome, NodeScope } from "../node/node-executor.ts";
import { type Resolved, renderTemplate, resolveTemplates } from "../template/resolve-template.ts";
import type { HostedContext, WorkflowHost } from "./workflow-host.ts";

/** Runs one attempt of a node. Every failure is an outcome; what it throws is the run's trouble. */
export async function executeNode(host: WorkflowHost, context: HostedContext): Promise<NodeOutcome> {
  const { node } = context.vertex;
  const { timeout_ms } = node;
  // A gate and a wait for an event have a time limit of their own, which outlives the process.
  if (timeout_ms === undefined || node.type === "human_gate" || node.type === "wait") return dispatch(host, context);
  return withLimit(host, context, timeout_ms);
}

async function withLimit(host: WorkflowHost, context: HostedContext, timeoutMs: number): Promise<NodeOutcome> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(context.signal.reason);
  context.signal.addEventListener("abort", stop, { once: true });
  let isLate = false;
  const cancel = context.work.env.clock.after(timeoutMs, () => {
    isLate = true;
    controller.abort(new Error(`The node took longer than ${timeoutMs} ms.`));
  });
  try {
    const outcome = await dispatch(host, { ...context, signal: controller.signal });
    // The time goes on while the job is waited for.
    if (!isLate && outcome.kind === "media_job") {
      return { ...outcome, job: { ...outcome.job, expires_at: context.now + timeoutMs } };
    }
    if (!isLate) return outcome;
    return failed(tooSlow(context.path, timeoutMs));
  } finally {
    cancel();
    context.signal.removeEventListener("abort", stop);
  }
}

async function dispatch(host: WorkflowHost, context: HostedContext): Promise<NodeOutcome> {
  const { node } = context.vertex;
  switch (node.type) {
    case "agent":
      return context.vertex.agent === undefined ? delegate(host, context, node) : host.runAgent(context);
    case "tool": {
      const input = await resolveTemplates(node.arguments ?? {}, context.scope, host.templates);
      return "failure" in input ? failed(input.failure) : host.runTool(context, node.tool, input.value);
    }
    case "condition":
      return choose(host, context, node);
    case "transform":
      return fromExpression(host, node.expression, context.scope);
    case "merge":
      return merge(host, context, node);
    case "human_gate":
      return openGate(host, context, node);
    case "wait":
      return wait(node);
    case "subworkflow":
      return callWorkflow(host, context, node);
    case "output":
      return capture(host, context, node);
    // Answered by the run itself.
    case "input":
    case "parallel":
    case "fan_out":
    case "loop":
      return failed(internal(`Node ${context.path} of the type ${node.type} has nothing to execute.`));
    default:
      return node satisfies never;
  }
}

type NodeOf<Type extends WorkflowNode["type"]> = Extract<WorkflowNode, { readonly type: Type }>;

/** An agent of the runtime does the work in a run below. */
async function delegate(host: WorkflowHost, { scope }: HostedContext, node: NodeOf<"agent">): Promise<NodeOutcome> {
  const prompt = await renderTemplate(node.prompt_template, scope, host.templates);
  if ("failure" in prompt) return failed(prompt.failure);
  return { kind: "paused", wait: { type: "run", agent_id: node.agent_ref, input: prompt.value } };
}

async function callWorkflow(
  host: WorkflowHost,
  context: HostedContext,
  node: NodeOf<"subworkflow">,
): Promise<NodeOutcome> {
  const inputs = await resolveTemplates(node.inputs ?? {}, context.scope, host.templates);
  if ("failure" in inputs) return failed(inputs.failure);
  // The other workflow gets the name of a secret, as every client gives it.
  const names = new Map(Object.entries(context.secrets).map(([input, name]) => [input, new Secret(name)] as const));
  const given = { workflow: context.workflow, authored: node.inputs ?? {}, resolved: inputs.value, secrets: names };
  const { value } = revealSecrets(given);
  return { kind: "paused", wait: { type: "run", agent_id: node.workflow_ref, input: { inputs: value } } };
}

async function choose(host: WorkflowHost, context: HostedContext, node: NodeOf<"condition">): Promise<NodeOutcome> {
  const evaluated = await evaluate(host, node.expression, context.scope);
  if ("failure" in evaluated) return failed(evaluated.failure);
  const { value } = evaluated;
  const branch = node.branches.find(({ when }) => when === value);
  if (branch !== undefined) return { kind: "branch", selected: branch.when, output: value };
  if (node.default !== undefined) return { kind: "branch", selected: "default", output: value };
  const known = node.branches.map(({ when }) => JSON.stringify(when)).join(", ");
  const message = `The expression of node ${context.path} gave ${shorten(value)}, and no branch fits (${known}). Add a branch or a \`default\`.`;
  return failed({ code: "validation", message, retryable: false });
}

async function merge(host: WorkflowHost, context: HostedContext, node: NodeOf<"merge">): Promise<NodeOutcome> {
  const branches = feedersOf(context).map(([, output]) => output);
  switch (node.strategy) {
    case "concat":
      return completed(branches.flatMap((branch) => (Array.isArray(branch) ? branch : [branch])));
    case "first":
      return completed(branches[0] ?? null);
    case "object_merge": {
      const odd = branches.find((branch) => typeof branch !== "object" || branch === null || Array.isArray(branch));
      if (odd !== undefined) {
        const message = `Node ${context.path} merges objects, and a branch gave ${shorten(odd)}.`;
        return failed({ code: "validation", message, retryable: false });
      }
      return completed(Object.fromEntries(branches.flatMap((branch) => Object.entries(branch as JsonObject))));
    }
    case "custom":
      return fromExpression(host, node.merge_fn ?? "branches", context.scope, { branches });
    default:
      return node.strategy satisfies never;
  }
}

/** The outputs of the nodes before, in the order of the plan; skipped ones have none. */
function feedersOf({ vertex, scope }: HostedContext): readonly (readonly [string, Json])[] {
  const ids = new Set(vertex.dependencies.filter(({ kind }) => kind !== "data").map(({ on }) => on));
  return [...ids].flatMap((id) => {
    const output = scope.outputs[id];
    return output === undefined ? [] : [[id, output] as const];
  });
}

async function openGate(host: WorkflowHost, context: HostedContext, node: NodeOf<"human_gate">): Promise<NodeOutcome> {
  const message = await renderTemplate(node.message_template, context.scope, host.templates);
  if ("failure" in message) return failed(message.failure);
  const { gate_type, assignee, response_schema, timeout_ms, timeout_action = "reject" } = node;
  return {
    kind: "paused",
    wait: {
      type: "gate",
      gate_type,
      message: message.value,
      timeout_action,
      ...(assignee !== undefined && { assignee }),
      ...(response_schema !== undefined && { response_schema }),
      ...(timeout_ms !== undefined && { timeout_ms }),
    },
  };
}

function wait({ duration_ms = 0, event, timeout_ms }: NodeOf<"wait">): NodeOutcome {
  if (event === undefined) return { kind: "paused", wait: { type: "sleep", duration_ms } };
  return { kind: "paused", wait: { type: "event", event, ...(timeout_ms !== undefined && { timeout_ms }) } };
}

/** The single output before it as it is, several by their ids, none as null. */
async function capture(host: WorkflowHost, context: HostedContext, node: NodeOf<"output">): Promise<NodeOutcome> {
  const feeders = feedersOf(context).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const [only] = feeders;
  const output: Json = feeders.length > 1 ? Object.fromEntries(feeders) : (only?.[1] ?? null);
  if (node.save_to === undefined) return completed(output);
  if (host.saveFile === undefined) {
    const message = `Node ${context.path} saves a file, and this host gives workflows none to write.`;
    return failed({ code: "tool_unavailable", message, retryable: false });
  }
  const path = node.save_to.replaceAll(/\{\{\s*run\.id\s*\}\}/g, context.runId);
  try {
    await host.saveFile(path, typeof output === "string" ? output : `${JSON.stringify(output, null, 2)}\n`);
    return completed(output);
  } catch (error) {
    const message = `Node ${context.path} could not save ${path}: ${describeThrown(error)}`;
    return failed({ code: "tool_failed", message, retryable: true });
  }
}

/** Evaluates an expression over what a node sees. */
export async function evaluate(
  host: WorkflowHost,
  expression: string,
  { inputs, ctx, outputs, locals }: NodeScope,
  more: JsonObject = {},
): Promise<Resolved<Json> | { readonly failure: NodeFailure }> {
  const evaluated = await host.sandbox.evaluate(expression, { inputs, ctx, run: { outputs }, ...locals, ...more });
  if ("failure" in evaluated || isJson(evaluated.value)) return evaluated;
  return { failure: { code: "sandbox_error", message: "The expression did not give JSON.", retryable: false } };
}

async function fromExpression(
  host: WorkflowHost,
  expression: string,
  scope: NodeScope,
  more: JsonObject = {},
): Promise<NodeOutcome> {
  const evaluated = await evaluate(host, expression, scope, more);
  return "failure" in evaluated ? failed(evaluated.failure) : completed(evaluated.value);
}

function completed(output: Json): NodeOutcome {
  return { kind: "completed", output };
}

function failed(error: NodeFailure): NodeOutcome {
  return { kind: "failed", error };
}

/** A node took longer than its `timeout_ms`. */
export function tooSlow(path: string, timeoutMs: number): NodeFailure {
  return {
    code: "run_timeout",
    message: `Node ${path} took longer than its timeout_ms (${timeoutMs}).`,
    retryable: false,
  };
}

export function internal(message: string): NodeFailure {
  return { code: "internal", message, retryable: false };
}

/** A value in a message: its beginning. */
function shorten(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
