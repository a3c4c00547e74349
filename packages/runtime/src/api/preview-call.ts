import { type Claim, notFound, type PermissionFact, type RunRecord, type ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { LivePort } from "../effects/live-port.ts";
import { LongTexts } from "../effects/long-texts.ts";
import { MailSource } from "../effects/mail-flag.ts";
import { NEVER } from "../effects/with-timeout.ts";
import { LiveBus } from "../journal/live-bus.ts";
import { RunWorkspace } from "../loop/run-workspace.ts";
import type { Services } from "../loop/services.ts";
import { PluginInferences } from "../phases/infer-for-plugin.ts";
import { askPlugins } from "../phases/plugin-gate.ts";
import { refreshTools } from "../phases/refresh-tools.ts";
import { callIdOf, stepIdOf } from "../thread/derived-ids.ts";
import { LoadedThread } from "../thread/loaded-thread.ts";
import { clearRunOps } from "../thread/run-state.ts";
import { type Admission, admitCall, findTool } from "../tools/admit-call.ts";
import { ToolPools } from "../tools/pools/tool-pools.ts";
import { prepareTools } from "./plugin-resources.ts";

/** A call that was not made yet. */
export interface PreviewCall {
  readonly agent: string;
  readonly tool: string;
  /** Without them only the rules are asked that need none: nothing is checked against the tool's schema. */
  readonly arguments?: Json;
  /** The thread whose state the rules see; an empty one unless given. */
  readonly threadId?: string;
}

/** The decision that a call would get, and its source: `tool` or `plugin:<id>`. */
export interface CallPreview {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason?: string;
  readonly source: string;
  /** The verdicts of permission rules, as `permission_evaluated` would report them. */
  readonly evaluated?: readonly PermissionFact[];
}

/**
 * Takes a call through the gates a run would take it through, plugins included, in a run that is never committed: what the rules say is
 * known, and nothing has happened.
 */
export async function previewCall(services: Services, tenant: string, asked: PreviewCall): Promise<CallPreview> {
  await prepareTools(services, tenant, asked.agent);
  const { tools } = services.agents.resolve(asked.agent, tenant);
  if (!tools.has(asked.tool)) throw notFound("TOOL_NOT_FOUND", "tool", asked.tool, [...tools.keys()]);
  const workspace = await openWorkspace(services, tenant, asked);
  try {
    await refreshTools(workspace, workspace.run.run_id);
    const previewed = await preview(workspace, asked);
    const evaluated = workspace.journal
      .seal()
      .events.flatMap((event) => (event.type === "permission_evaluated" ? [event.data] : []));
    return evaluated.length === 0 ? previewed : { ...previewed, evaluated };
  } finally {
    workspace.journal.close();
    workspace.effects.close();
  }
}

async function preview(workspace: RunWorkspace, asked: PreviewCall): Promise<CallPreview> {
  const call = imagineCall(workspace, asked);
  if (asked.arguments !== undefined) return describe(await admitCall(workspace, call, { approved: false }));
  const found = findTool(workspace, call);
  if (found.kind === "end") return describe(found);
  const objection = await askPlugins(workspace, call, found.tool, {});
  if (objection !== undefined) return describe(objection);
  const { needs_approval } = found.tool.descriptor;
  if (needs_approval === false) return { decision: "allow", source: "tool" };
  const reason = needs_approval === true ? "the tool needs an approval" : "it depends on the arguments";
  return { decision: "ask", reason, source: "tool" };
}

function describe(admission: Admission): CallPreview {
  switch (admission.kind) {
    case "run":
      return { decision: "allow", source: "tool" };
    case "suspend": {
      const { suspension, asked_by } = admission.ticket;
      const reason = asked_by === undefined ? "the tool needs an approval" : (suspension.message ?? suspension.action);
      return { decision: "ask", reason, source: asked_by ?? "tool" };
    }
    case "end": {
      const { source = "tool", result, trigger } = admission;
      if (trigger === "succeed") return { decision: "allow", reason: "a plugin answers instead of the tool", source };
      return { decision: "deny", ...(result.message !== null && { reason: result.message }), source };
    }
    default:
      return admission satisfies never;
  }
}

async function openWorkspace(
  services: Services,
  tenant: string,
  { agent, threadId }: PreviewCall,
): Promise<RunWorkspace> {
  const { env, time, blobs, store, limits } = services;
  const thread =
    threadId === undefined
      ? new LoadedThread(env.ids.uuid(), 0, {}, [])
      : await services.threads.load(store.forTenant(tenant), tenant, threadId);
  const run = imagineRun(env.ids.uuid(), thread, agent, time.now());
  const claim: Claim = {
    tenant,
    thread_id: run.thread_id,
    epoch: 0,
    kind: "start",
    owner: services.owner,
    lease_until: 0,
  };
  const mail = new MailSource(false);
  const texts = new LongTexts(blobs, tenant, env);
  const effects = new LivePort({ env, time, claim, signal: NEVER, lost: NEVER, mail, texts });
  // Inferences of plugins cost money here too, and no run counts it.
  const nobody = { ...services, bus: new LiveBus(), inferences: new PluginInferences() };
  const pools = ToolPools.create(limits.pools);
  const port = { assertHeld: () => undefined, lendSlot: () => () => undefined };
  const workspace = new RunWorkspace({ services: nobody, claim, run, thread, pools, effects, ...port });
  // The states of the last run end with it; a new run would not see them either.
  workspace.addPatch("runtime", clearRunOps(thread.document));
  return workspace;
}

function imagineRun(run_id: string, thread: LoadedThread, agent_id: string, now: number): RunRecord {
  return {
    run_id,
    thread_id: thread.thread_id,
    agent_id,
    origin: "internal",
    status: "running",
    input_tokens: 0,
    output_tokens: 0,
    steps: 1,
    base_version: thread.version,
    last_seq: 0,
    recoveries: 0,
    created_at: now,
    updated_at: now,
  };
}

function imagineCall(workspace: RunWorkspace, asked: PreviewCall): ToolCallRecord {
  const { run_id, thread_id } = workspace.run;
  const step_id = stepIdOf(run_id, 1);
  return {
    call_id: callIdOf(step_id, 0),
    run_id,
    thread_id,
    step_id,
    tool_id: asked.tool,
    tool_version: workspace.versionOf(asked.tool),
    arguments: asked.arguments ?? {},
    status: "new",
    suspension: 0,
    updated_at: workspace.now,
  };
}
