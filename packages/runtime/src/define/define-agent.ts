import { type LanguageModel, RepriseError, type Tool, type ToolExecutionMode } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** What an author writes about an agent. */
export interface AgentDefinition {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** A model, or the id of one the runtime knows. */
  readonly model: string | LanguageModel;
  /** The system prompt: the operator's words, never text from outside. */
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  /** Model calls one run may make. */
  readonly maxRounds?: number;
  readonly toolExecutionMode?: ToolExecutionMode;
  readonly chatOptions?: { readonly [key: string]: Json };
}

export const DEFAULT_MAX_ROUNDS = 10;

/** An agent, ready to be resolved. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly model: string | LanguageModel;
  readonly instructions: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly maxRounds: number;
  readonly toolExecutionMode: ToolExecutionMode;
  readonly chatOptions: { readonly [key: string]: Json };
}

/** Describes an agent. Mistakes in the description are reported here, before anything runs. */
export function defineAgent(definition: AgentDefinition): Agent {
  const { id, maxRounds = DEFAULT_MAX_ROUNDS } = definition;
  if (id === "") throw new RepriseError("INVALID_DEFINITION", "An agent needs an id.");
  if (!Number.isSafeInteger(maxRounds) || maxRounds < 1) {
    throw new RepriseError(
      "INVALID_DEFINITION",
      `Agent ${id}: maxRounds is a whole number from 1 on, not ${maxRounds}.`,
    );
  }
  return Object.freeze({
    id,
    name: definition.name ?? id,
    description: definition.description ?? "",
    model: definition.model,
    instructions: definition.instructions ?? "",
    tools: collectTools(id, definition.tools ?? []),
    maxRounds,
    toolExecutionMode: definition.toolExecutionMode ?? "parallel_streaming",
    chatOptions: definition.chatOptions ?? {},
  });
}

function collectTools(agent: string, tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byId = new Map<string, Tool>();
  for (const tool of tools) {
    const { id } = tool.descriptor;
    if (byId.has(id)) throw new RepriseError("TOOL_ID_CONFLICT", `Agent ${agent} has two tools with the id ${id}.`);
    byId.set(id, tool);
  }
  return byId;
}
