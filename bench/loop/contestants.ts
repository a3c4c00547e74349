import type { Contestant } from "./contestant.ts";
import { bare, bareAppends } from "./contestants/bare.ts";

/** Everybody who runs, in the order of the tables; loaded where they run, and nowhere else. */
export const CONTESTANTS: Readonly<Record<string, () => Promise<Contestant>>> = {
  bare: async () => bare,
  bareAppends: async () => bareAppends,
  reprise: async () => (await import("./contestants/reprise.ts")).reprise,
  openaiAgents: async () => (await import("./contestants/openai-agents.ts")).openaiAgents,
  toolLoopAgent: async () => (await import("./contestants/ai-sdk.ts")).toolLoopAgent,
  aiStreamText: async () => (await import("./contestants/ai-sdk.ts")).aiStreamText,
  langgraph: async () => (await import("./contestants/langgraph.ts")).langgraph,
  mastra: async () => (await import("./contestants/mastra.ts")).mastra,
};
