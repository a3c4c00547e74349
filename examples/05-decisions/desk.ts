import { defineAgent, definePlugin, defineTool, scriptedModel, suspendCall, suspendTool } from "reprise";
import { getAt } from "reprise/state";
import { z } from "zod";

/** What was really done: the world outside the thread. */
export const done: string[] = [];

/** `replay_tool_call`: a plugin asks, and a yes lets the call run as it stands. */
const wire = defineTool({
  id: "wire",
  description: "Sends money.",
  inputSchema: z.object({ to: z.string(), amount: z.number() }),
  execute({ to, amount }) {
    done.push(`sent ${amount} to ${to}`);
    return { sent: amount };
  },
});
const fourEyes = definePlugin({
  id: "four_eyes",
  hooks: {
    beforeToolExecute: ({ call }) =>
      call.toolId === "wire"
        ? [suspendCall({ action: "approve", message: `Wire ${JSON.stringify(call.arguments)}?` })]
        : undefined,
  },
});

/** `use_decision_as_tool_result`: the work is done in the user's browser, and the answer is the result. */
const locate = defineTool({
  id: "locate",
  description: "Asks the browser where the user is.",
  execute: () =>
    suspendTool({
      action: "tool:locate",
      resumeMode: "use_decision_as_tool_result",
      responseSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    }),
});

/** `pass_decision_to_tool`: the tool asks in the middle of its work, continues with the answer, and may ask again. */
const bookTable = defineTool({
  id: "book_table",
  description: "Books a table.",
  execute(_, { decision }) {
    if (decision === undefined) return suspendTool({ action: "how_many", message: "For how many?" });
    const guests = Number(getAt(decision.result ?? null, ["guests"]));
    if (!(guests > 0)) return suspendTool({ action: "how_many", message: "For how many, in numbers?" });
    done.push(`table for ${guests}`);
    return { table_for: guests };
  },
});

export const desk = defineAgent({
  id: "desk",
  tools: [wire, locate, bookTable],
  plugins: [fourEyes],
  model: scriptedModel(({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? "All of it is settled."
      : [
          { call: "wire", arguments: { to: "Ada", amount: 10 } },
          { call: "wire", arguments: { to: "Bob", amount: 99 } },
          { call: "locate" },
          { call: "book_table" },
        ],
  ),
});
