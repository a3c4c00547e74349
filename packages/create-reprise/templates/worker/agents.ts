import { defineAgent, defineTool } from "reprise";
import { z } from "zod";
import { model } from "./model.ts";

const resize = defineTool({
  id: "resize",
  description: "Resizes a picture.",
  inputSchema: z.object({ picture: z.string(), width: z.number().int().positive() }),
  idempotent: true, // done twice it is the same, so it is simply done again after a crash
  execute: ({ picture, width }) => ({ picture, width, worker: process.pid }),
});

export const editor = defineAgent({ id: "editor", instructions: "Edit pictures.", model, tools: [resize] });
