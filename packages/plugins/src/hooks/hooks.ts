import {
  type AfterToolExecuteContext,
  addSystemReminder,
  type BeforeToolExecuteContext,
  blockCall,
  emitEvent,
  type HookFact,
  type PhaseAction,
  type Plugin,
  suspendCall,
  type ToolDescriptor,
} from "@reprise/contracts";
import { listOf, objectOf, optional } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { ArgumentValues } from "../tool-pattern/argument-values.ts";
import { parseToolPattern, type ToolPattern } from "../tool-pattern/tool-pattern.ts";
import { askHook, type Hook, type HookAnswer, hookShape, type PreToolHook, type StoredHook } from "./hook.ts";

const ID = "hooks";

export interface HooksOptions {
  /** Asked before a call runs; they may refuse it, or have a person decide. */
  readonly preTool?: readonly PreToolHook[];
  /** Told after a call ran; they may tell the model something. */
  readonly postTool?: readonly Hook[];
}

interface HooksSettings {
  readonly pre_tool?: readonly StoredHook[];
  readonly post_tool?: readonly StoredHook[];
}

const SETTINGS = objectOf<HooksSettings>({
  pre_tool: optional(listOf(hookShape), "Asked before a call runs; they may refuse it, or have a person decide."),
  post_tool: optional(listOf(hookShape), "Told after a call ran; they may tell the model something."),
});

interface ReadyHook {
  readonly hook: StoredHook;
  readonly pattern: ToolPattern | undefined;
}

/** Asks programs and addresses of the operator about tool calls. Their answers are stored with the run; a replay reads them from there. */
export function hooks(options: HooksOptions = {}): Plugin {
  const settings = definePluginSettings(ID, SETTINGS, options);
  const ready = new WeakMap<readonly StoredHook[], readonly ReadyHook[]>();
  const readyFor = (given: readonly StoredHook[] | undefined): readonly ReadyHook[] => {
    if (given === undefined) return [];
    let all = ready.get(given);
    if (all === undefined) {
      all = given.map((hook) => ({ hook, pattern: hook.tool === undefined ? undefined : parseToolPattern(hook.tool) }));
      ready.set(given, all);
    }
    return all;
  };
  return definePlugin({
    id: ID,
    sections: settings.sections,
    findSectionProblem: settings.findSectionProblem,
    hooks: {
      beforeToolExecute: (context) => askAll(context, readyFor(settings.read(context).pre_tool)),
      afterToolExecute: (context) => tellAll(context, readyFor(settings.read(context).post_tool)),
    },
  });
}

/** Those that are about a call. Arguments that a pattern cannot look at count as fitting: a hook is a check, and none is passed by. */
function hooksFor(all: readonly ReadyHook[], toolId: string, given: Json): readonly StoredHook[] {
  return all.flatMap(({ hook, pattern }) => {
    if (pattern === undefined) return [hook];
    if (!pattern.tool.matches(toolId)) return [];
    return pattern.fitsArguments(new ArgumentValues(given)) === false ? [] : [hook];
  });
}

type PreActions = readonly PhaseAction<"block" | "suspend" | "emit">[];

/** Asks every hook about a call, all at once. A refusal beats a question. */
async function askAll(context: BeforeToolExecuteContext, all: readonly ReadyHook[]): Promise<PreActions> {
  const { call, tool } = context;
  const asked = hooksFor(all, call.toolId, call.arguments);
  const answers = await Promise.all(asked.map((hook, index) => ask(context, "pre_tool", hook, index, {})));
  return answers.flatMap(({ hook, answer }): PreActions => {
    const told = emitEvent("hook_completed", factOf(context, "pre_tool", hook, answer));
    const { reason = `The hook ${hook.name} refused the call.` } = answer;
    if (answer.decision === "deny" || (answer.decision === "failed" && !mayPass(hook, tool))) {
      return [told, blockCall(answer.decision === "deny" ? reason : `The hook ${hook.name} gave ${reason}`)];
    }
    if (answer.decision !== "ask") return [told];
    const message = answer.reason ?? `The hook ${hook.name} wants a person to decide.`;
    return [told, suspendCall({ action: "hook", message, parameters: { hook: hook.name } })];
  });
}

/** Whether a call may run although a hook gave no answer about it. */
function mayPass({ on_failure }: StoredHook, tool: ToolDescriptor): boolean {
  if (tool.is_destructive) return false;
  return on_failure === undefined ? tool.class === "read_only" : on_failure === "allow";
}

type PostActions = readonly PhaseAction<"add_system_reminder" | "emit">[];

/** More of a result than this is not repeated to hooks. */
const MAX_RESULT_CHARS = 100_000;

/** Tells every hook of a call that ran. What it did is done: an answer only adds to what the model reads. */
async function tellAll(context: AfterToolExecuteContext, all: readonly ReadyHook[]): Promise<PostActions> {
  const { call, result, outcome } = context;
  if (outcome !== "succeeded" && outcome !== "failed") return [];
  const told = hooksFor(all, call.toolId, call.arguments);
  if (told.length === 0) return [];
  const isLarge = JSON.stringify(result.data).length > MAX_RESULT_CHARS;
  const { status, message } = result;
  const about = { outcome, result: { status, message, ...(isLarge ? { is_truncated: true } : { data: result.data }) } };
  const answers = await Promise.all(told.map((hook, index) => ask(context, "post_tool", hook, index, about)));
  return answers.flatMap(
    ({ hook, answer }): PostActions => [
      emitEvent("hook_completed", factOf(context, "post_tool", hook, answer)),
      ...(answer.context === undefined ? [] : [addSystemReminder(answer.context)]),
    ],
  );
}

type ToolContext = BeforeToolExecuteContext | AfterToolExecuteContext;

async function ask(
  context: ToolContext,
  point: HookFact["point"],
  hook: StoredHook,
  index: number,
  about: { readonly [key: string]: Json },
): Promise<{ readonly hook: StoredHook; readonly answer: HookAnswer }> {
  const { call, tool, tenant, threadId, runId, agentId, signal, egress } = context;
  const input: Json = {
    point,
    hook: hook.name,
    tenant,
    thread_id: threadId,
    run_id: runId,
    agent_id: agentId,
    call: { id: call.callId, tool_id: call.toolId, arguments: call.arguments, suspension: call.suspension },
    tool:
      tool === undefined
        ? null
        : { class: tool.class, is_destructive: tool.is_destructive, capabilities: tool.capabilities },
    ...about,
  };
  const answer = await context.record(`${point} ${index} ${hook.name}`, () =>
    askHook(hook, input, { signal, ...(egress !== undefined && { egress }) }),
  );
  return { hook, answer };
}

function factOf({ call }: ToolContext, point: HookFact["point"], { name }: StoredHook, answer: HookAnswer): HookFact {
  const { decision, reason, duration_ms } = answer;
  return {
    hook: name,
    point,
    id: call.callId,
    tool_id: call.toolId,
    decision,
    ...(reason !== undefined && { reason }),
    duration_ms,
  };
}
