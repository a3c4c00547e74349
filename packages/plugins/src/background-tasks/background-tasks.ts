import {
  type AfterToolExecuteContext,
  addSessionContext,
  changeState,
  excludeTool,
  type Plugin,
  type Tool,
} from "@reprise/contracts";
import { listOf, narrowed, nonEmptyText, objectOf, optional, type Shape } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import { getAt, type Json } from "@reprise/state";
import { escapeText } from "../model-text/catalogue-text.ts";
import { currentRuns, findChanges } from "../runs-below/known-runs.ts";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { findPatternProblem, parseToolPattern } from "../tool-pattern/tool-pattern.ts";
import { isBackgroundTool, mayRunInBackground, PARAMETER } from "./background-call.ts";
import { type BackgroundTasks, taskState } from "./task-state.ts";
import { TASK_TOOLS, taskStatus } from "./task-tools.ts";

const ID = "background_tasks";

/** A tool with this in its `capabilities` may run in the background wherever the plugin is. */
const CAPABILITY = "background";

export interface BackgroundTasksOptions {
  /** Tools that may run in the background: ids, globs and `/regular expressions/`. Tools with the capability `background` may anyway. */
  readonly tools?: readonly string[];
}

interface BackgroundTasksSettings {
  readonly tools?: readonly string[];
}

const pattern: Shape<string> = narrowed(nonEmptyText, (text: Json) => {
  const problem = findPatternProblem(text);
  if (problem !== undefined || !parseToolPattern(String(text)).hasArguments) return problem;
  return "the list names tools, without conditions on arguments";
});

const SETTINGS = objectOf<BackgroundTasksSettings>({
  tools: optional(
    listOf(pattern),
    "Tools that may run in the background: ids, globs, /regular expressions/. Tools with the capability `background` may anyway.",
  ),
});

/**
 * Lets a model have tools run in the background: they get the parameter `run_in_background`, and the model gets `task_status`, `task_cancel`
 * and `task_output`. A call in the background is a run of its own, so it survives crashes, asks for approvals and is cancelled with the run
 * that started it. The thread gets one message when it is over.
 */
export function backgroundTasks(options: BackgroundTasksOptions = {}): Plugin {
  const settings = definePluginSettings(ID, SETTINGS, options);
  return definePlugin({
    id: ID,
    sections: settings.sections,
    findSectionProblem: settings.findSectionProblem,
    states: [taskState],
    tools: TASK_TOOLS,
    wrapTool(tool, view) {
      const { id, capabilities } = tool.descriptor;
      if (TASK_TOOLS.includes(tool)) return tool;
      const { tools = [] } = settings.read(view);
      const isNamed = (): boolean => tools.some((name) => parseToolPattern(name).tool.matches(id));
      return capabilities.includes(CAPABILITY) || isNamed() ? mayRunInBackground(tool) : tool;
    },
    hooks: {
      async beforeInference({ tools, state, findRun }) {
        const { tasks } = state.get(taskState);
        if (Object.keys(tasks).length === 0 && !tools.some(isBackgroundTool)) return TASK_TOOLS.map(hide);
        const changed = await findChanges(tasks, findRun);
        const told = describeTasks({ tasks: { ...tasks, ...changed } });
        return [
          ...Object.entries(changed).map(([taskId, task]) => changeState(taskState.note(taskId, task))),
          ...(told === undefined ? [] : [addSessionContext(told, "background_tasks")]),
        ];
      },
      afterToolExecute: noteStart,
    },
  });
}

/** Noted here and not by the call: calls that start tasks may overlap, and their changes would be a conflict. */
function noteStart({ call, tool, result }: AfterToolExecuteContext) {
  const isStarted = tool !== undefined && isBackgroundTool(tool) && getAt(call.arguments, [PARAMETER]) === true;
  const taskId = isStarted && result.status === "success" ? getAt(result.data, ["task_id"]) : undefined;
  if (typeof taskId !== "string") return [];
  return [changeState(taskState.note(taskId, { tool: call.toolId, status: "running" }))];
}

function describeTasks({ tasks }: BackgroundTasks): string | undefined {
  const current = currentRuns(tasks);
  if (current.length === 0) return undefined;
  const lines = current.map(
    ([taskId, { tool, status, error }]) =>
      `<background_task task_id="${escapeText(taskId)}" tool="${escapeText(tool)}" status="${taskStatus(status)}"${
        error === undefined ? "" : ` error="${escapeText(error.slice(0, 200))}"`
      }/>`,
  );
  return `<background_tasks>\n${lines.join("\n")}\n</background_tasks>\nRead the result of a task that is over with \`task_output\`.`;
}

function hide({ descriptor }: Tool) {
  return excludeTool(descriptor.id);
}
