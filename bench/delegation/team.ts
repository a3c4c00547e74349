import { awaitRun, type BlobStore, type Message, type Store, textOf } from "@reprise/contracts";
import { type ScriptTurn, scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { createRuntime, defineAgent, defineTool, type Limits, type Runtime } from "@reprise/runtime";

/** A task in words: how many runs to have work beside each other, and how many levels of that. Zero levels: answer at once. */
export interface Task {
  readonly fan: number;
  readonly levels: number;
}

/** The agents of the benchmark: `plain` calls a tool, `boss` has agents work. Both answer afterwards. */
export async function openTeam(
  { store, blobs }: { readonly store: Store; readonly blobs: BlobStore },
  limits: Partial<Limits> = {},
): Promise<Runtime> {
  const inputSchema = { type: "object", additionalProperties: true } as const;
  const look = defineTool({
    id: "look",
    description: "Looks.",
    inputSchema,
    idempotent: true,
    execute: () => ({ status: "completed", output: "found it" }),
  });
  const delegate = defineTool({
    id: "delegate",
    description: "Has an agent work.",
    inputSchema,
    idempotent: true,
    recursive: true,
    execute: async ({ prompt }: { readonly prompt: string }, { runs }) =>
      awaitRun(await runs.start({ agentId: "boss", prompt })),
  });
  return createRuntime({
    store,
    blobs,
    env: createNodeEnv({ log: () => undefined }),
    agents: [
      defineAgent({ id: "plain", model: scriptedModel(plain, "plain"), tools: [look] }),
      defineAgent({ id: "boss", model: scriptedModel(boss, "boss"), tools: [delegate], allowedAgents: ["boss"] }),
    ],
    limits,
  });
}

function plain({ messages }: { readonly messages: readonly Message[] }): ScriptTurn {
  return messages.at(-1)?.role === "tool" ? "thanks" : [{ call: "look", arguments: {} }];
}

/** Has the next level work and counts the answers; the last level answers at once. */
function boss({ messages }: { readonly messages: readonly Message[] }): ScriptTurn {
  const results = messages.filter(({ role }) => role === "tool").map(textOf);
  // Written by `promptOf`.
  const { fan, levels } = JSON.parse(textOf(messages[0] ?? { content: "{}" })) as Task;
  if (levels === 0) return "1";
  if (results.length > 0) return String(results.reduce((sum, text) => sum + countIn(text), 1));
  const prompt = promptOf({ fan, levels: levels - 1 });
  return Array.from({ length: fan }, () => ({ call: "delegate", arguments: { prompt } }));
}

/** The end of a run below, as its call is told. */
function countIn(text: string): number {
  return Number((JSON.parse(text) as { readonly output?: string }).output);
}

export function promptOf(task: Task): string {
  return JSON.stringify(task);
}

/** How many runs a task makes, its own included. */
export function runsOf({ fan, levels }: Task): number {
  return levels === 0 ? 1 : 1 + fan * runsOf({ fan, levels: levels - 1 });
}
