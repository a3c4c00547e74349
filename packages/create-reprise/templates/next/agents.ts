import { defineAgent, defineTool } from "reprise";
import { z } from "zod";
import { model } from "./model";

const rollDice = defineTool({
  id: "roll_dice",
  description: "Rolls a die.",
  inputSchema: z.object({ sides: z.number().int().min(2).max(100) }),
  needsApproval: ({ sides }) => sides > 6, // large dice are a serious matter
  execute: ({ sides }) => ({ rolled: 1 + Math.floor(Math.random() * sides) }),
});

export const assistant = defineAgent({
  id: "assistant",
  instructions: "Be brief. Roll dice when you are asked to.",
  model,
  tools: [rollDice],
});
