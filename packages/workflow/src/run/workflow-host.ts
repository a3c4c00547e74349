import type { WorkContext } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { Workflow } from "../document/workflow-document.ts";
import type { ExpressionSandbox } from "../expression/expression-sandbox.ts";
import type { MediaJob, NodeExecContext, NodeOutcome } from "../node/node-executor.ts";
import type { TemplateCapabilities } from "../template/resolve-template.ts";

/** A node execution inside of a run, with what the run lends it. */
export interface HostedContext extends NodeExecContext {
  readonly work: WorkContext;
  readonly tenant: string;
  readonly threadId: string;
  readonly workflow: Workflow;
  /** The names of the host's secrets, by the inputs that ask for them. */
  readonly secrets: { readonly [input: string]: string };
}

/** What a host gives to its workflow runs. */
export interface WorkflowHost {
  readonly sandbox: ExpressionSandbox;
  readonly templates?: TemplateCapabilities;
  /** Runs agent nodes whose agent is in the document. */
  runAgent(context: HostedContext): Promise<NodeOutcome>;
  /** Asks about a media job that an agent node started. */
  pollMediaJob(context: HostedContext, job: MediaJob): Promise<NodeOutcome>;
  /** Runs tool nodes. */
  runTool(context: HostedContext, tool: string, input: JsonObject): Promise<NodeOutcome>;
  /** Writes the output of a node with `save_to`. Without it such nodes fail. */
  saveFile?(path: string, content: string): Promise<void>;
}
