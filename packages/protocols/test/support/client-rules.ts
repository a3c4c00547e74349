import type { UiChunk } from "@reprise/protocols/ai-sdk";

/** What a client has of the message so far. */
interface Client {
  readonly texts: Set<string>;
  readonly reasonings: Set<string>;
  /** Calls whose input is being written. */
  readonly partial: Set<string>;
  /** The step each call's part is in. */
  readonly parts: Map<string, number>;
  step: number;
  isStepOpen: boolean;
  isStarted: boolean;
  isOver: boolean;
}

/** Every type version 6 knows. */
const TYPES =
  /^(start|finish|abort|error|(start|finish)-step|(text|reasoning)-(start|delta|end)|tool-input-(start|delta|available|error)|tool-approval-request|tool-output-(available|error|denied)|source-(url|document)|file|data-.+)$/;

/**
 * A small model of the client's rules: throws where it would throw, and where it would be left with a part that is never finished.
 * Stricter than the client in this: a part is in one step only, and nothing follows the end.
 */
export function assertClientAccepts(chunks: readonly UiChunk[]): void {
  const client: Client = {
    texts: new Set(),
    reasonings: new Set(),
    partial: new Set(),
    parts: new Map(),
    step: 0,
    isStepOpen: false,
    isStarted: false,
    isOver: false,
  };
  for (const [index, chunk] of chunks.entries()) {
    const problem = TYPES.test(chunk.type) ? findProblem(client, chunk) : "is of no type there is";
    if (problem !== undefined) throw new Error(`Chunk ${index}, ${JSON.stringify(chunk)}, ${problem}.`);
  }
}

function findProblem(client: Client, chunk: UiChunk): string | undefined {
  if (client.isOver && chunk.type !== "start") return "comes behind the end";
  if (!client.isStarted && chunk.type !== "start" && chunk.type !== "data-stream-reset")
    return "comes before the start";
  switch (chunk.type) {
    case "start":
      client.isStarted = true;
      client.isOver = false;
      return undefined;
    case "text-start":
      return add(client.texts, chunk.id);
    case "text-delta":
      return client.texts.has(chunk.id) ? undefined : "has no open part";
    case "text-end":
      return client.texts.delete(chunk.id) ? undefined : "has no open part";
    case "reasoning-start":
      return add(client.reasonings, chunk.id);
    case "reasoning-delta":
      return client.reasonings.has(chunk.id) ? undefined : "has no open part";
    case "reasoning-end":
      return client.reasonings.delete(chunk.id) ? undefined : "has no open part";
    case "tool-input-start":
      client.partial.add(chunk.toolCallId);
      return place(client, chunk.toolCallId);
    case "tool-input-delta":
      return client.partial.has(chunk.toolCallId) ? undefined : "has no call that was begun";
    case "tool-input-available":
    case "tool-input-error":
      client.partial.delete(chunk.toolCallId);
      return place(client, chunk.toolCallId);
    case "tool-approval-request":
    case "tool-output-available":
    case "tool-output-error":
    case "tool-output-denied":
      return client.parts.has(chunk.toolCallId) ? undefined : "has no call";
    case "start-step":
      client.step += 1;
      client.isStepOpen = true;
      return undefined;
    case "finish-step":
      if (!client.isStepOpen) return "ends no step";
      client.isStepOpen = false;
      return findOpen(client);
    case "finish":
    case "abort":
      client.isOver = true;
      return client.isStepOpen ? "comes in the middle of a step" : findOpen(client);
    default:
      return undefined;
  }
}

function add(open: Set<string>, id: string): string | undefined {
  return open.size === open.add(id).size ? "begins what is open" : undefined;
}

/** Clients look for the part in the last step, and would begin a second one otherwise. */
function place({ parts, step }: Client, id: string): string | undefined {
  const known = parts.get(id);
  parts.set(id, step);
  return known === undefined || known === step ? undefined : "begins a second part for its call";
}

function findOpen({ texts, reasonings, partial }: Client): string | undefined {
  const open = [...texts, ...reasonings, ...partial];
  return open.length === 0 ? undefined : `leaves ${open.join(", ")} open`;
}
