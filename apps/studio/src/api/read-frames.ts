import type { AgentEvent } from "@reprise/contracts";

/** An event, and the cursor to read on from after it. */
export interface Frame {
  readonly id: string | undefined;
  readonly event: AgentEvent;
}

/** The server says something every 15 seconds, if only a comment. */
const LONGEST_SILENCE_MS = 45_000;

/**
 * Reads server-sent events, as many at once as have arrived. A body that breaks off throws a TypeError, and so does one that is silent
 * for too long: a connection can be gone without a word, as when a computer slept.
 */
export async function* readFrames(response: Response): AsyncGenerator<readonly Frame[]> {
  if (response.body === null) return;
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await readInTime(reader);
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop() ?? "";
      const frames = parts.flatMap((part) => readFrame(part) ?? []);
      if (frames.length > 0) yield frames;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

async function readInTime(reader: ReadableStreamDefaultReader<string>): Promise<ReadableStreamReadResult<string>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError("The server is silent.")), LONGEST_SILENCE_MS);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** One frame; undefined for comments and hints. */
function readFrame(text: string): Frame | undefined {
  let id: string | undefined;
  let data = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  return data === "" ? undefined : { id, event: JSON.parse(data) };
}
