import { decodeEvent, type EventLineage } from "@reprise/contracts";

/** A frame of an event stream as a browser would see it. */
export interface Frame {
  readonly id: string | undefined;
  readonly event: {
    readonly type: string;
    readonly run_id: string;
    readonly seq?: number;
    readonly lineage?: EventLineage;
    readonly data?: unknown;
  };
}

/** Splits the text of a stream into frames; comments and hints are left out. */
export function parseFrames(text: string): readonly Frame[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes("data: "))
    .map((block) => {
      const lines = block.split("\n");
      const id = lines.find((line) => line.startsWith("id: "))?.slice(4);
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6) ?? "";
      // Events of known types, which have these fields.
      return { id, event: decodeEvent(data) as Frame["event"] };
    });
}

/** Reads a stream until it ends. */
export async function readFrames(response: Response): Promise<readonly Frame[]> {
  return parseFrames(await response.text());
}

/** Reads a stream's text until it holds something, and leaves it open. */
export async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  isEnough: (text: string) => boolean,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (!isEnough(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The stream ended after ${JSON.stringify(text.slice(-200))}.`);
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

export function typesOf(frames: readonly Frame[]): readonly string[] {
  return frames.map(({ event }) => event.type);
}
