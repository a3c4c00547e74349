import { textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { type AgentRecoveryOptions, agentRecovery } from "@reprise/plugins/agent-recovery";
import { agentTools } from "@reprise/plugins/agent-tools";
import { backgroundTasks } from "@reprise/plugins/background-tasks";
import { type Agent, defineAgent, defineTool } from "@reprise/runtime";

/** Where the process of a test dies. */
export type Moment = "in the child" | "in the safe task" | "in the unsafe task" | "nowhere";

export interface TeamOptions {
  /** Called at each of the moments. */
  readonly at?: (moment: Moment) => void;
  /** With the plugin `agent_recovery` for the child. */
  readonly recovery?: AgentRecoveryOptions;
}

/** A lead that does what it is told: `foreground`, `background`, `safe task` or `unsafe task`. */
export function defineTeam({ at = () => undefined, recovery }: TeamOptions = {}): readonly Agent[] {
  const task = (id: string, moment: Moment, idempotent: boolean) =>
    defineTool({
      id,
      description: "Works.",
      idempotent,
      capabilities: ["background"],
      execute: () => {
        at(moment);
        return "worked";
      },
    });
  const start = { agent_id: "worker", prompt: "look" };
  const calls: Record<string, object> = {
    foreground: { call: "agent_run", arguments: start },
    background: { call: "agent_run", arguments: { ...start, background: true } },
    "safe task": { call: "safe", arguments: { run_in_background: true } },
    "unsafe task": { call: "unsafe", arguments: { run_in_background: true } },
  };
  const lead = scriptedModel(({ messages }) => {
    const said = messages.map(textOf);
    const notice = said.find((text) => text.startsWith("<task "));
    if (notice !== undefined) return `told: ${/is over: \w+/.exec(notice)?.[0]}`;
    const result = messages.findLast(({ role }) => role === "tool");
    if (result !== undefined) return `got ${textOf(result)}`;
    return [calls[said[0] ?? ""] as { readonly call: string }];
  }, "lead");
  const worker = scriptedModel(() => {
    at("in the child");
    return "found it";
  }, "worker");
  return [
    defineAgent({
      id: "lead",
      model: lead,
      tools: [task("safe", "in the safe task", true), task("unsafe", "in the unsafe task", false)],
      plugins: [agentTools(), backgroundTasks()],
    }),
    defineAgent({ id: "worker", model: worker, plugins: recovery === undefined ? [] : [agentRecovery(recovery)] }),
  ];
}
