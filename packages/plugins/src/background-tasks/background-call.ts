import { type MarkedResult, RepriseError, type Tool, type ToolContext } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import type { JsonObject } from "@reprise/state";
import { isOutside, missingScope, refuse } from "../runs-below/refuse.ts";

/** The parameter by which a model has a call run in the background. */
export const PARAMETER = "run_in_background";

/** Marks the descriptors of tools that may run in the background. */
const MARK = "background";

/** Whether a tool was wrapped below. */
export function isBackgroundTool({ metadata }: Pick<Tool["descriptor"], "metadata">): boolean {
  return metadata[MARK] === true;
}

/** Input of a wrapped tool that was checked. */
interface CheckedCall {
  readonly isBackground: boolean;
  /** The arguments of the tool itself, as the model gave them, and as the tool's check returned them. */
  readonly given: JsonObject;
  readonly input: unknown;
}

/**
 * A tool with the parameter `run_in_background`. A call with it starts a run that makes the same call without it, and returns the id of that
 * run. Tools that start runs themselves, and those whose parameters are no plain object, stay as they are.
 */
export function mayRunInBackground(tool: Tool): Tool {
  const { descriptor } = tool;
  const { parameters } = descriptor;
  const { properties = {} } = parameters;
  if (descriptor.is_recursive || parameters.type !== "object" || !isPlainObject(properties)) return tool;
  if (Object.hasOwn(properties, PARAMETER)) return tool;
  const parameter = {
    type: "boolean",
    description:
      "True: runs in the background. Returns a task id at once, and a message follows when the task is over.",
  };
  return {
    descriptor: {
      ...descriptor,
      parameters: { ...parameters, properties: { ...properties, [PARAMETER]: parameter } },
      // A read may begin while the model still speaks. A call that starts a run may not: its step is not committed yet.
      is_recursive: descriptor.class === "read_only",
      metadata: { ...descriptor.metadata, [MARK]: true },
    },
    async check(arguments_) {
      const { [PARAMETER]: isBackground = false, ...given } = isPlainObject(arguments_) ? arguments_ : {};
      if (typeof isBackground !== "boolean") return { ok: false, problem: `${PARAMETER} must be true or false` };
      const checked = await tool.check(isPlainObject(arguments_) ? given : arguments_);
      if (!checked.ok) return checked;
      const input: CheckedCall = { isBackground, given, input: checked.input };
      return { ok: true, input };
    },
    // In the background the call itself is asked about, when its run makes it.
    async needsApproval(checked) {
      const { isBackground, input } = asChecked(checked);
      return isBackground ? false : tool.needsApproval(input);
    },
    // A start that is executed again finds the run that it started.
    mayRepeat: (given) => (isPlainObject(given) && given[PARAMETER] === true) || (tool.mayRepeat?.(given) ?? false),
    async execute(checked, context) {
      const { isBackground, given, input } = asChecked(checked);
      return isBackground ? startTask(descriptor.id, given, context) : tool.execute(input, context);
    },
  };
}

/** Input reaches a tool only through its `check`. */
function asChecked(input: unknown): CheckedCall {
  return input as CheckedCall;
}

async function startTask(toolId: string, given: JsonObject, context: ToolContext): Promise<JsonObject | MarkedResult> {
  if (isOutside(context)) return missingScope(toolId);
  try {
    const { runId, status } = await context.runs.startCall({ toolId, arguments: given });
    return { task_id: runId, tool: toolId, status };
  } catch (error) {
    if (!RepriseError.is(error, "DELEGATION_LIMIT")) throw error;
    const { message, details } = error;
    return refuse(toolId, { code: "denied", message, limit: String(details.limit), most: Number(details.most) });
  }
}
