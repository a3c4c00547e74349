import {
  type Documents,
  describeThrown,
  type Env,
  type KeptDocuments,
  RepriseError,
  type ToolDescriptor,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { withTimeout } from "../effects/with-timeout.ts";
import { recordedTool } from "../resolve/recorded-agent.ts";
import {
  hasToolSources,
  isSameList,
  listSources,
  prepareSources,
  type SourcedTools,
  type ToolSourceCaller,
} from "../resolve/tool-sources.ts";
import { keptDocuments } from "../run/kept-documents.ts";
import type { AgentView, Host, Mailbox, Outside, RunView, ToolShelf } from "../run/ports.ts";

/** The parts of a run that its tool sources have to do with. */
export type SourcedRun = RunView & AgentView & Outside & Host & ToolShelf & Pick<Mailbox, "store">;

/**
 * Reads the tool sources of the agent and has the activation use what they list. The list is an effect, stored when it differs from the
 * one before. An agent without tool sources asks nothing. `at` names the moment within the run.
 */
export function refreshTools(workspace: SourcedRun, at: string): Promise<void> | void {
  const { plan, sourced: known, effects } = workspace;
  if (plan.kind !== "local" || !hasToolSources(plan.agent)) return;
  const encode = (listed: SourcedTools): Json | undefined => {
    const text = describeSourced(listed);
    return known !== undefined && describeSourced(known) === text ? undefined : text;
  };
  const decode = (stored: Json | undefined): SourcedTools =>
    stored === undefined ? (known ?? []) : readSourced(stored);
  const use = (listed: SourcedTools): void => {
    if (known === undefined || !isSameList(known, listed)) workspace.useTools(listed);
  };
  const listed = effects.ask({ kind: "tools", of: at, encode, decode }, () => askSources(workspace));
  return listed instanceof Promise ? listed.then(use) : use(listed);
}

/** The tools there are now. A run without an earlier list cannot know what it may do, so a source that fails then fails the run. */
function askSources(workspace: SourcedRun): Promise<SourcedTools> | SourcedTools {
  const { agent, claim, run, signal, store, services, sourced: known } = workspace;
  const { env, limits } = services;
  const { tenant } = claim;
  const wait = prepareSources(agent, sourceCaller({ env, store }, tenant, signal));
  if (wait === undefined) return listSources(agent, tenant);
  return withTimeout(env.clock, signal, limits.hookTimeoutMs, async () => wait).then(
    () => listSources(agent, tenant),
    (error: unknown) => {
      signal.throwIfAborted();
      if (known === undefined) throw failure(error);
      const details = { run_id: run.run_id, problem: describeThrown(error) };
      env.log("warn", "a tool source failed; the run keeps the tools it has", details);
      return known;
    },
  );
}

/** What sources are lent. Nothing of it is recorded: the list they make is. */
export function sourceCaller(
  { env, store }: { readonly env: Env; readonly store: Documents },
  tenant: string,
  signal: AbortSignal,
): ToolSourceCaller {
  const { egress } = env;
  const documents = (kind: string): KeptDocuments => keptDocuments(store, kind, (_, ask) => ask());
  return { tenant, signal, documents, ...(egress !== undefined && { egress }) };
}

function failure(error: unknown): RepriseError {
  if (RepriseError.is(error, "PLUGIN_FAILED")) return error;
  return new RepriseError("PLUGIN_FAILED", `The tool sources failed: ${describeThrown(error)}`, { cause: error });
}

// A list never changes, and every activation stores what it has.
const described = new WeakMap<readonly unknown[], string>();

/** Lists as they are stored: one text, so that it is stored once by its content. */
function describeSourced(sourced: SourcedTools): string {
  const lists = sourced.map(({ plugin, value }) => {
    let tools = value.length === 0 ? "[]" : described.get(value);
    if (tools === undefined) {
      tools = JSON.stringify(value.map(({ descriptor }) => descriptor));
      described.set(value, tools);
    }
    return `{"plugin":${JSON.stringify(plugin)},"tools":${tools}}`;
  });
  return `[${lists.join(",")}]`;
}

function readSourced(stored: Json): SourcedTools {
  // Written by `describeSourced`.
  const lists = JSON.parse(String(stored)) as readonly { readonly plugin: string; readonly tools: ToolDescriptor[] }[];
  return lists.map(({ plugin, tools }) => ({ plugin, value: tools.map(recordedTool) }));
}
