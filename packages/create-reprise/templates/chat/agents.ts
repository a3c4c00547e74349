import { defineAgent, defineTool } from "reprise";
import { z } from "zod";
import { model } from "./model.ts";

const rollDice = defineTool({
  id: "roll_dice",
  description: "Rolls a die.",
  inputSchema: z.object({ sides: z.number().int().min(2).max(100) }),
  execute: ({ sides }) => ({ rolled: 1 + Math.floor(Math.random() * sides) }),
});

export const assistant = defineAgent({
  id: "assistant",
  instructions: "Be brief. Roll dice when you are asked to.",
  model,
  tools: [rollDice],
});
