import type { Env, Store } from "@reprise/contracts";
import { type Agent, createRuntime, type Runtime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { onTestFinished } from "vitest";
import type { World } from "../../../runtime/test/support/open-runtime.ts";
import type { Workflow, WorkflowEdge, WorkflowNode } from "../../src/document/workflow-document.ts";
import type { NodeOutcome } from "../../src/node/node-executor.ts";
import { defineWorkflow } from "../../src/run/define-workflow.ts";
import type { HostedContext, WorkflowHost } from "../../src/run/workflow-host.ts";
import { createWorkflowProgram } from "../../src/run/workflow-program.ts";

/** One execution of an agent or tool node. */
export interface Executed {
  readonly path: string;
  readonly attempt: number;
}

export type AgentScript = (
  path: string,
  attempt: number,
  context: HostedContext,
) => Json | NodeOutcome | Promise<Json | NodeOutcome>;

export interface FlowBench extends World {
  readonly executed: Executed[];
  /** Another process on the same store. */
  open(
    instanceId: string,
    process?: { readonly env?: Env; readonly store?: Store; readonly workflow?: FlowDefinition },
  ): Promise<Runtime>;
}

export type FlowDefinition = Omit<Workflow, "id">;

/** A world with one workflow, `flow`, whose agents and tools do what the script says. */
export function createFlowBench(
  workflow: FlowDefinition,
  script: AgentScript = (path) => `${path} done`,
  others: readonly Agent[] = [],
  host: Partial<WorkflowHost> = {},
): FlowBench {
  const env = createFakeEnv();
  const world = { env, store: createMemoryStore({ clock: env.clock }), blobs: createMemoryBlobStore(env) };
  const executed: Executed[] = [];
  return {
    ...world,
    executed,
    async open(instanceId, { env: own = env, store = world.store, workflow: changed = workflow } = {}) {
      const runtime = await createRuntime({
        env: own,
        store,
        blobs: world.blobs,
        instanceId,
        agents: [defineWorkflow({ schema_version: "1.0", workflow: { id: "flow", ...changed } }), ...others],
        programs: [createWorkflowProgram({ ...createHost(executed, script), ...host })],
        limits: { closeTimeoutMs: 1 },
      });
      onTestFinished(() => void runtime.close().catch(() => undefined));
      return runtime;
    },
  };
}

function createHost(executed: Executed[], script: AgentScript): WorkflowHost {
  const perform = async (context: HostedContext): Promise<NodeOutcome> => {
    const { path, attemptNumber: attempt } = context;
    executed.push({ path, attempt });
    const answer = await script(path, attempt, context);
    return typeof answer === "object" && answer !== null && "kind" in answer
      ? (answer as NodeOutcome)
      : { kind: "completed", output: answer as Json };
  };
  return {
    sandbox: {
      evaluate(expression, globals) {
        try {
          // Expressions of these tests are theirs. Hosts use the real sandbox.
          return {
            value: new Function(...Object.keys(globals), `return (${expression});`)(...Object.values(globals)) as Json,
          };
        } catch (error) {
          return { failure: { code: "sandbox_error", message: String(error), retryable: false } };
        }
      },
    },
    async runAgent(context) {
      context.emit({ type: "node_delta", data: { delta: "hel", model: "m" } });
      await context.work.env.yield();
      context.emit({ type: "node_delta", data: { delta: "lo", model: "m" } });
      context.emit({
        type: "node_cost",
        data: {
          model: "m",
          input_tokens: 3,
          output_tokens: 2,
          cost_microcents: 7,
          cumulative_cost_microcents: 0,
          attempt: 1,
          priced: true,
        },
      });
      return perform(context);
    },
    async pollMediaJob(context, job) {
      const outcome = await perform(context);
      // What is known of the job stays with it, as with a real provider.
      return outcome.kind === "media_job" ? { kind: "media_job", job: { ...job, ...outcome.job } } : outcome;
    },
    async runTool(context, tool, input) {
      await context.announceCall({ id: `${context.idempotencyKey}-c`, tool_id: tool, arguments: input });
      return perform(context);
    },
  };
}

export const AGENT = { id: "a", model: "m", provider: "p" };

export function agentNode(id: string, prompt = "go"): WorkflowNode {
  return { id, type: "agent", agent_ref: "a", prompt_template: prompt };
}

export function edge(from: string, to: string, condition?: string): WorkflowEdge {
  return { from, to, ...(condition !== undefined && { condition }) };
}
