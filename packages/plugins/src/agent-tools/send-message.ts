import { RepriseError, type Tool } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { isOutside, missingScope, refuse } from "../runs-below/refuse.ts";

const ID = "send_message";

/** Why a message was not sent, by the code of the runtime's error. */
const CODES: { readonly [code: string]: string } = {
  RUN_NOT_FOUND: "unknown_run",
  RUN_NOT_ACTIVE: "invalid_state",
  INVALID_REQUEST: "invalid_arguments",
};

/** Lets agents of a tree talk while they work: a parent steers a task in the background, a task asks its parent or tells another task. */
export const sendMessage: Tool = defineTool({
  id: ID,
  description:
    "Sends a message to another agent that works on this task: a task that you started, the agent that started you, or another task beside you. It reads the message before its next step. There is no answer unless it sends one.",
  inputSchema: {
    type: "object",
    properties: {
      to: {
        type: "string",
        description: 'The run_id of a task, "parent", or the id of an agent that works on one task.',
      },
      message: { type: "string" },
    },
    required: ["to", "message"],
    additionalProperties: false,
  },
  // Executed again after a crash, a call has sent its message already.
  idempotent: true,
  // All runs of a tree share one slot for changes. The task to talk to may hold it.
  recursive: true,
  async execute({ to, message }: { readonly to: string; readonly message: string }, context) {
    if (isOutside(context)) return missingScope(ID);
    try {
      const { runId, agentId } = await context.runs.send({ to, message });
      return { status: "sent", run_id: runId, agent_id: agentId };
    } catch (error) {
      const code = RepriseError.is(error) ? CODES[error.code] : undefined;
      if (!RepriseError.is(error) || code === undefined) throw error;
      return refuse(ID, { code, message: error.message });
    }
  },
});
