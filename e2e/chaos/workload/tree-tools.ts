import { awaitRun, type Tool } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { LASTING_AGENT } from "./generation.ts";
import { scriptMessage, type TreeTool } from "./run-script.ts";

/** The tools by which agents have other agents work. They are the same in every generation. */
export function createTreeTools(): readonly Tool[] {
  const inputSchema = { type: "object", properties: { script: { type: "string" } }, required: ["script"] } as const;
  const prompted = ({ script }: { readonly script: string }) => ({
    agentId: LASTING_AGENT,
    prompt: scriptMessage(script),
  });
  return [
    defineTool({
      id: "delegate" satisfies TreeTool,
      description: "Has another agent play a script, and waits for it.",
      inputSchema,
      idempotent: true,
      // Those of one turn start their runs beside each other.
      recursive: true,
      version: "1",
      execute: async (input: { readonly script: string }, { runs }) => awaitRun(await runs.start(prompted(input))),
    }),
    defineTool({
      id: "dispatch" satisfies TreeTool,
      description: "Has another agent play a script in the background.",
      inputSchema,
      idempotent: true,
      version: "1",
      execute: async (input: { readonly script: string }, { runs }) => {
        const { runId } = await runs.start({ ...prompted(input), background: true });
        return { run_id: runId };
      },
    }),
  ];
}
