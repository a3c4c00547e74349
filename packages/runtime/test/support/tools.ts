import { defineTool, type ToolDefinition } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { z } from "zod";

export const notes = defineState({
  path: "notes",
  initial: (): string[] => [],
  actions: { add: (list, note: string) => [...list, note] },
});

/** A mutating tool that counts how often it ran, and with which keys. */
export function countingTool(definition: Partial<ToolDefinition<{ title: string }, unknown>> = {}) {
  const keys: string[] = [];
  const tool = defineTool({
    id: "add",
    description: "Adds a note.",
    inputSchema: z.object({ title: z.string() }),
    ...definition,
    execute(input, context) {
      keys.push(context.idempotencyKey);
      if (definition.execute !== undefined) return definition.execute(input, context);
      context.state.apply(notes.add(input.title));
      return { count: context.state.get(notes).length };
    },
  });
  return { tool, keys };
}
