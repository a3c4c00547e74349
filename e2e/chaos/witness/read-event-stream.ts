import type { AgentEvent } from "@reprise/contracts";

/**
 * Reads server-sent events until the stream ends; rejects when it breaks off. A frame without an id, such as a withdrawal, leaves
 * the reader where it was: that is what a browser would come back with.
 */
export async function readEventStream(
  response: Response,
  after: string | undefined,
  signal: AbortSignal,
  take: (event: AgentEvent, cursor: string) => void,
): Promise<void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  let cursor = after ?? "";
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const frames = `${rest}${value}`.split("\n\n");
      // A frame that is cut off by the end of the stream is not one.
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const { id, data } = readFrame(frame);
        cursor = id ?? cursor;
        if (data !== undefined) take(readEvent(data), cursor);
      }
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function readFrame(frame: string): { readonly id: string | undefined; readonly data: string | undefined } {
  const field = (name: string): string | undefined =>
    frame
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  return { id: field("id"), data: field("data") };
}

/** An event as it is stored: on the wire, data without a field is left out. */
function readEvent(text: string): AgentEvent {
  // The server under test wrote it; whether it is right is for the checker to say.
  const event = JSON.parse(text) as AgentEvent;
  return { ...event, data: event.data ?? {} } as AgentEvent;
}
