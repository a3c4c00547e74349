import { scriptedModel } from "reprise";

/**
 * The model of this app. Put yours here: an id such as "openai/gpt-5-mini", with its key in `.env` (see `.env.example`). Without
 * one the agent plays this script, which needs no key.
 */
export const model =
  process.env.REPRISE_MODEL ||
  scriptedModel([
    [{ call: "roll_dice", arguments: { sides: 6 } }],
    "I rolled a die for you. I only play a script: put a real model into model.ts.",
  ]);
