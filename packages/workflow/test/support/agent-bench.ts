import type { Env, LanguageModel, MediaModel, ModelProvider, ModelSpec, Tool } from "@reprise/contracts";
import { createFakeEnv } from "@reprise/testkit/env";
import type { AgentRunnerDeps } from "../../src/agent/agent-runner-deps.ts";
import { createAgentNodeExecutor } from "../../src/agent/create-agent-node-executor.ts";
import { createToolRegistry } from "../../src/agent/tool-registry.ts";
import type { AgentNode, WorkflowAgent } from "../../src/document/workflow-document.ts";
import type { AnnouncedCall, NodeEvent, NodeExecContext, NodeOutcome } from "../../src/node/node-executor.ts";

export const AGENT: WorkflowAgent = { id: "writer", model: "large", provider: "acme", system_prompt: "You write." };
export const NODE: AgentNode = {
  id: "draft",
  type: "agent",
  agent_ref: "writer",
  prompt_template: "Write about {{ inputs.topic }}.",
};

/** An `Env` whose pauses take no time and are noted. */
export function hurriedEnv(): { readonly env: Env; readonly pauses: number[] } {
  const pauses: number[] = [];
  const fake = createFakeEnv();
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    pauses.push(ms);
  };
  const { now, mono, after } = fake.clock;
  return { env: { ...fake, clock: { now, mono, after, sleep } }, pauses };
}

export interface Bench {
  readonly node?: Partial<AgentNode>;
  readonly agent?: Partial<WorkflowAgent>;
  /** By `provider/model`. */
  readonly models?: Readonly<Record<string, LanguageModel>>;
  readonly media?: Readonly<Record<string, MediaModel>>;
  readonly specs?: Readonly<Record<string, Partial<ModelSpec>>>;
  readonly tools?: readonly Tool[];
  readonly deps?: Partial<AgentRunnerDeps>;
  readonly context?: Partial<NodeExecContext>;
  readonly providers?: Readonly<Record<string, ModelProvider>>;
}

export interface Ran {
  readonly outcome: NodeOutcome;
  readonly events: readonly NodeEvent[];
  readonly announced: readonly AnnouncedCall[];
  readonly pauses: readonly number[];
  readonly blobs: readonly { readonly content: Uint8Array; readonly media_type?: string }[];
}

export function createProvider(id: string, { models = {}, media, specs = {} }: Bench): ModelProvider {
  return {
    id,
    model: (name) => {
      const model = models[`${id}/${name}`];
      if (model === undefined) throw new Error(`no model ${name}`);
      return model;
    },
    ...(media !== undefined && {
      media: (name: string) => {
        const model = media[`${id}/${name}`];
        if (model === undefined) throw new Error(`no media ${name}`);
        return model;
      },
    }),
    describe: (name) => specs[`${id}/${name}`],
  };
}

/** Executes one agent node with what a test gives it. */
export async function execute(bench: Bench): Promise<Ran> {
  const { env, pauses } = hurriedEnv();
  const agent = { ...AGENT, ...bench.agent };
  const node = { ...NODE, ...bench.node };
  const events: NodeEvent[] = [];
  const announced: AnnouncedCall[] = [];
  const blobs: Ran["blobs"][number][] = [];
  const known = Object.keys({ ...bench.models, ...bench.media }).map((name) => name.split("/", 1)[0]);
  const deps: AgentRunnerDeps = {
    resolveProvider: (id) => bench.providers?.[id] ?? (known.includes(id) ? createProvider(id, bench) : undefined),
    registry: createToolRegistry({ tools: bench.tools ?? [], env }),
    env,
    blobs: {
      async put(content, options = {}) {
        blobs.push({ content, ...options });
        return { ref: `blob:${blobs.length}`, bytes: content.byteLength };
      },
    },
    ...bench.deps,
  };
  const context: NodeExecContext = {
    vertex: { id: node.id, type: node.type, node, dependencies: [], dependents: [], agent },
    path: node.id,
    runId: "run-1",
    attemptNumber: 1,
    idempotencyKey: "run-1.draft.1",
    scope: { inputs: { topic: "tea" }, ctx: {}, outputs: {}, locals: {} },
    now: 1_000,
    signal: new AbortController().signal,
    emit: (event) => events.push(event),
    announceCall: async (call) => {
      announced.push(call);
    },
    ...bench.context,
  };
  const outcome = await createAgentNodeExecutor(deps)(context);
  return { outcome, events, announced, pauses, blobs };
}
