import { describeThrown, type ModelProvider, type RunProgram, Secret } from "@reprise/contracts";
import { isAllowed } from "@reprise/runtime";
import type { JsonObject } from "@reprise/state";
import type { AgentLimits, AgentRunnerDeps, MediaSurface, PreEgressHook } from "../agent/agent-runner-deps.ts";
import { createAgentNodeExecutor } from "../agent/create-agent-node-executor.ts";
import { nodeFailure } from "../agent/failure-ladder.ts";
import { pollMediaJob } from "../agent/generate-media.ts";
import { toolSections } from "../agent/tool-reach.ts";
import { createToolRegistry } from "../agent/tool-registry.ts";
import { hideSecrets, hideSecretsIn } from "../document/hide-secrets.ts";
import { revealSecrets } from "../document/reveal-secrets.ts";
import type { ExpressionSandbox } from "../expression/expression-sandbox.ts";
import type { NodeOutcome } from "../node/node-executor.ts";
import type { TemplateCapabilities } from "../template/resolve-template.ts";
import type { HostedContext, WorkflowHost } from "./workflow-host.ts";
import { createWorkflowProgram } from "./workflow-program.ts";

/** What workflows may use beside the models and tools of the runtime. */
export interface WorkflowsOptions {
  /** `createExpressionSandbox({ clock, yield })` of `@reprise/workflow/quickjs`. */
  readonly sandbox: ExpressionSandbox;
  /** Files for the filter `read_file`. Without it the filter is refused. */
  readonly readFile?: TemplateCapabilities["readFile"];
  readonly fsScope?: TemplateCapabilities["fsScope"];
  /** Writes the output of nodes with `save_to`. Without it such nodes fail. */
  readonly saveFile?: WorkflowHost["saveFile"];
  /** A secret by its name, for inputs of the type `secret`. */
  readonly secret?: (name: string) => string | undefined;
  /** Asked before every attempt at a model. A failure refuses the attempt and is the outcome of the node. */
  readonly preEgress?: PreEgressHook;
  /** Gets a new key after one was refused: at most once for each provider and node execution. `provider.refreshAuth` unless given. */
  readonly onAuthError?: (providerId: string) => Promise<boolean>;
  /** Limits of agent nodes. */
  readonly limits?: Partial<AgentLimits>;
}

type AgentOptions = Pick<WorkflowsOptions, "preEgress" | "onAuthError" | "limits">;

/** The program that runs workflows with the models and tools of the runtime: `createRuntime({ programs: [workflows({ sandbox })] })`. */
export function workflows(options: WorkflowsOptions): RunProgram {
  const { sandbox, readFile, fsScope, saveFile, secret, preEgress, onAuthError, limits } = options;
  const agents: AgentOptions = {
    ...(preEgress !== undefined && { preEgress }),
    ...(onAuthError !== undefined && { onAuthError }),
    ...(limits !== undefined && { limits }),
  };
  const templates: TemplateCapabilities = {
    ...(readFile !== undefined && { readFile }),
    ...(fsScope !== undefined && { fsScope }),
  };
  return createWorkflowProgram({
    sandbox,
    templates,
    ...(saveFile !== undefined && { saveFile }),
    runAgent: (context) => createAgentNodeExecutor(depsOf(context, templates, agents))(withinPolicy(context)),
    pollMediaJob: (context, job) => pollMediaJob(depsOf(context, templates, agents), context, job),
    runTool: (context, tool, input) => callTool(context, tool, input, secret),
  });
}

/** What an agent node gets of the runtime, for one execution. */
function depsOf(context: HostedContext, templates: TemplateCapabilities, agents: AgentOptions): AgentRunnerDeps {
  const { work } = context;
  const ids = context.vertex.agent?.tools ?? [];
  const tools = ids.flatMap((id) => work.tool(id) ?? []);
  return {
    ...agents,
    resolveProvider: (id) => work.provider(id),
    resolveMediaSurface: (model) => surfaceOf(work.provider(context.vertex.agent?.provider ?? ""), model),
    registry: createToolRegistry({
      tools,
      env: work.env,
      contextOf: (call) => contextOf(context, call.call.id),
    }),
    env: work.env,
    resolverCapabilities: templates,
    ...(templates.fsScope !== undefined && { fsScope: templates.fsScope }),
    blobs: {
      put: async (content, { media_type = "application/octet-stream" } = {}) => {
        const ref = await work.putBlob(content, { media_type });
        return { ref, bytes: content.length, media_type };
      },
    },
  };
}

function surfaceOf(provider: ModelProvider | undefined, model: string): MediaSurface | undefined {
  try {
    return provider?.describe?.(model)?.surface === "generative" ? "generative" : "chat";
  } catch {
    // The executor says what is wrong with the model.
    return undefined;
  }
}

function contextOf({ runId, threadId, path, tenant, work, workflow }: HostedContext, callId: string) {
  const agentId = path;
  return {
    identity: { tenant, threadId, runId, callId, agentId, agentPath: [agentId], stepId: path },
    policy: work.policy,
    section: toolSections(workflow),
  };
}

/** A node whose agent has the tools alone that the policy of the run allows: its model hears of no other. */
function withinPolicy(context: HostedContext): HostedContext {
  const { vertex, work } = context;
  const { agent, node } = vertex;
  if (agent?.tools === undefined || node.type !== "agent") return context;
  const isFit = (id: string): boolean => isAllowed(work.policy, id);
  // What the agent never had stays, and is refused.
  const { tools: own } = agent;
  const tools = node.tools?.filter((id) => isFit(id) || !own.includes(id));
  return {
    ...context,
    vertex: {
      ...vertex,
      agent: { ...agent, tools: own.filter(isFit) },
      node: { ...node, ...(tools !== undefined && { tools }) },
    },
  };
}

/** Calls the tool of a tool node. Secrets are put in here: they are in no state, event or template. */
async function callTool(
  context: HostedContext,
  toolId: string,
  input: JsonObject,
  secret: WorkflowsOptions["secret"],
): Promise<NodeOutcome> {
  const { work, signal, path, idempotencyKey, secrets } = context;
  if (!isAllowed(work.policy, toolId)) {
    return failed("tool_denied", `The policy of the run does not allow tool ${toolId}, which node ${path} calls.`);
  }
  const tool = work.tool(toolId);
  if (tool === undefined) return failed("tool_unavailable", `The runtime has no tool ${JSON.stringify(toolId)}.`);
  const known = new Map(
    Object.entries(secrets).flatMap(([name, ref]) => {
      const value = secret?.(ref);
      return value === undefined ? [] : [[name, new Secret(value)] as const];
    }),
  );
  const authored = (context.vertex.node.type === "tool" && context.vertex.node.arguments) || {};
  const revealed = revealSecrets({ workflow: context.workflow, authored, resolved: input, secrets: known });
  if (revealed.missing.length > 0) {
    const named = revealed.missing.map((name) => secrets[name] ?? name).join(", ");
    return failed("tool_unavailable", `This process has no secret ${named}, which node ${path} needs.`);
  }
  const registry = createToolRegistry({
    tools: [tool],
    env: work.env,
    contextOf: () => contextOf(context, idempotencyKey),
  });
  const call = { id: idempotencyKey, tool_id: toolId, arguments: revealed.value };
  const done = await registry.dispatch({ call, agentId: path, node: context, signal });
  const hidden = (text: string): string => hideSecrets(text, known);
  switch (done.outcome) {
    case "result":
      return done.success
        ? { kind: "completed", output: hideSecretsIn(done.data, known) }
        : failed("tool_failed", hidden(describeThrown(done.data)), true);
    case "correctable":
      return failed("validation", hidden(`The arguments of node ${path} do not fit tool ${toolId}: ${done.problem}`));
    case "denied":
      return failed("tool_denied", hidden(done.message));
    case "failed":
      return failed("tool_failed", hidden(done.message), true);
    case "incapable":
      return failed("internal", hidden(done.message));
    case "cancelled":
      return failed("cancelled", `Node ${path} was cancelled.`);
    default:
      return done satisfies never;
  }
}

function failed(
  code: Extract<NodeOutcome, { kind: "failed" }>["error"]["code"],
  message: string,
  retryable = false,
): NodeOutcome {
  return { kind: "failed", error: nodeFailure(code, message, retryable) };
}
