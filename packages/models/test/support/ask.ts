import type { LanguageModel, ModelChunk, ModelRequest, ToolDescriptor } from "@reprise/contracts";

/** What came of asking a model: everything it said, and how it failed, if it did. */
export interface Answer {
  readonly chunks: readonly ModelChunk[];
  readonly error: unknown;
}

/** Asks a model and takes whatever comes. */
export async function ask(model: LanguageModel, request: Partial<ModelRequest> = {}): Promise<Answer> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of model.stream(requestOf(request))) chunks.push(chunk);
    return { chunks, error: undefined };
  } catch (error) {
    return { chunks, error };
  }
}

export function requestOf(fields: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [{ id: "m1", role: "user", content: "Hello." }] as const;
  return { system: "Be kind.", messages, tools: [], options: {}, signal: new AbortController().signal, ...fields };
}

/** The text of an answer. */
export function textOf({ chunks }: Answer): string {
  return chunks.map((chunk) => (chunk.type === "text_delta" ? chunk.delta : "")).join("");
}

export function chunksOf<Type extends ModelChunk["type"]>({ chunks }: Answer, type: Type) {
  return chunks.filter((chunk): chunk is Extract<ModelChunk, { type: Type }> => chunk.type === type);
}

export function toolOf(
  id: string,
  parameters: ToolDescriptor["parameters"] = { type: "object", properties: {} },
): ToolDescriptor {
  return {
    id,
    name: id,
    description: `Does ${id}.`,
    parameters,
    class: "mutating",
    needs_approval: false,
    is_destructive: false,
    is_recursive: false,
    idempotent: false,
    interrupt_behavior: "cancel",
    timeout_ms: null,
    capabilities: [],
    version: "1",
    metadata: {},
  };
}
