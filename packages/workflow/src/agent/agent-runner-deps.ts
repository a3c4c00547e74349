import type {
  Amount,
  BlobInfo,
  Env,
  ModelProvider,
  PutBlobOptions,
  ToolContext,
  ToolDescriptor,
} from "@reprise/contracts";
import type { DispatchedCall, LoopCall, ToolLoopLimits } from "@reprise/runtime";
import type { NodeExecContext, NodeFailure, NodeScope } from "../node/node-executor.ts";
import type { FileScope } from "../template/read-path.ts";
import type { Resolved, TemplateCapabilities } from "../template/resolve-template.ts";

/** How a model is asked: in turns (`chat`), or once, for media, at an endpoint of its own (`generative`). */
export type MediaSurface = "chat" | "generative";

/** What a template may ask of the host. */
export type ResolverCapabilities = Pick<TemplateCapabilities, "readFile">;

/** Fills a template in. `renderTemplate` is one. */
export type ResolveTemplate = (
  template: string,
  scope: NodeScope,
  capabilities: TemplateCapabilities,
) => Promise<Resolved<string>>;

/** Where files that models make and long results of tools go. */
export interface NodeBlobs {
  put(content: Uint8Array, options?: PutBlobOptions): Promise<BlobInfo>;
}

/** A request that is about to leave the process. */
export interface PreEgress {
  readonly runId: string;
  /** The node, as in `NodeExecContext`. */
  readonly path: string;
  readonly provider: string;
  readonly model: string;
  /** The most the request can cost. Media has no tokens: they are 0. */
  readonly worstCase: Amount;
}

/** Asked before every attempt. A failure refuses it and is the outcome of the node. */
export type PreEgressHook = (egress: PreEgress) => Promise<NodeFailure | undefined> | NodeFailure | undefined;

/** One call of a tool in a node. */
export interface NodeToolCall {
  readonly call: LoopCall;
  readonly agentId: string;
  readonly node: Pick<NodeExecContext, "path" | "runId" | "now" | "announceCall">;
  readonly signal: AbortSignal;
  /** Asked about a call that needs approval. Without it such calls are denied. */
  readonly approve?: (input: unknown) => Promise<boolean>;
}

/** The tools of the host. */
export interface ToolRegistry {
  /** Undefined when there is no such tool. */
  describe(toolId: string): ToolDescriptor | undefined;
  /** Checks and executes a call of a tool that `describe` knows. Throws only what `announceCall` throws. */
  dispatch(call: NodeToolCall): Promise<DispatchedCall>;
}

/** What a tool finds in its context, where the host offers more than the defaults. */
export type ToolContextOf = (call: NodeToolCall) => Partial<ToolContext>;

export interface AgentLimits extends ToolLoopLimits {
  /** An attempt that says nothing for this long fails with `timeout`; null to wait for ever. */
  readonly modelIdleTimeoutMs: number | null;
  /** Requests after a stream broke in the middle of an answer, beside those of the plan: none unless given. */
  readonly streamRetries: number;
}

/** What the host gives an agent node: capabilities only. Credentials stay inside of the providers. */
export interface AgentRunnerDeps {
  /** The provider with an id of the document; undefined when the host has none. */
  resolveProvider(providerId: string): ModelProvider | undefined;
  /** How a model is asked: `chat` when this is absent or answers undefined. */
  resolveMediaSurface?(model: string): MediaSurface | undefined;
  readonly registry: ToolRegistry;
  /** Clock, sleeping, randomness and hashing. */
  readonly env: Env;
  /** Gets a new key after one was refused: at most once for each provider and node execution. `provider.refreshAuth` unless given. */
  onAuthError?(providerId: string): Promise<boolean>;
  /** `renderTemplate` unless given. */
  readonly resolveTemplate?: ResolveTemplate;
  readonly resolverCapabilities?: ResolverCapabilities;
  /** `sandboxed` unless given. */
  readonly fsScope?: FileScope;
  readonly limits?: Partial<AgentLimits>;
  readonly preEgress?: PreEgressHook;
  /** Without it a node that makes media fails, and long results of tools are cut without a way to the whole. */
  readonly blobs?: NodeBlobs;
}
