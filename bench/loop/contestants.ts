import type { Contestant } from "./contestant.ts";
import { aiStreamText, toolLoopAgent } from "./contestants/ai-sdk.ts";
import { bare, bareAppends } from "./contestants/bare.ts";
import { langgraph } from "./contestants/langgraph.ts";
import { mastra } from "./contestants/mastra.ts";
import { openaiAgents } from "./contestants/openai-agents.ts";
import { reprise } from "./contestants/reprise.ts";

/** Everybody who runs, in the order of the tables. */
export const CONTESTANTS: readonly Contestant[] = [
  bare,
  bareAppends,
  reprise,
  openaiAgents,
  toolLoopAgent,
  aiStreamText,
  langgraph,
  mastra,
];
