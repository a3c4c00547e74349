import type { Client, ClientMessage } from "./client.ts";

/** Bytes as they come over a wire, cut where nobody would cut them. */
export function bytesOf(frames: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(frames);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + 61));
      at += 61;
    },
  });
}

/** The chunks of a response through the official parser and its schema. Throws at the first that does not fit. */
export async function parseChunks(client: Client, frames: string): Promise<readonly unknown[]> {
  const parsed = client.parseJsonEventStream({ stream: bytesOf(frames), schema: client.uiMessageChunkSchema });
  const results = await Array.fromAsync(parsed);
  return results.map((result) => {
    if (!result.success) throw result.error;
    return result.value;
  });
}

export interface ReadMessage {
  readonly message: ClientMessage | undefined;
  readonly errors: readonly string[];
}

/** What the official reader makes of a response, continuing with a message when there is one. */
export async function readMessage(client: Client, frames: string, message?: ClientMessage): Promise<ReadMessage> {
  const chunks = await parseChunks(client, frames);
  const errors: string[] = [];
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let last = message;
  const onError = (error: unknown): void => void errors.push(error instanceof Error ? error.message : String(error));
  const options = { stream, onError, ...(message !== undefined && { message: structuredClone(message) }) };
  for await (const next of client.readUIMessageStream(options)) last = next;
  return { message: last, errors };
}
