import { HttpAgent, type Message, type State } from "@ag-ui/client";
import { EventSchema } from "@ag-ui/core/schemas";
import type { AgUiEvent, AgUiVersion } from "@reprise/protocols/ag-ui";
import * as before from "ag-ui-client-0";
import { vi } from "vitest";

/** The events of a response, read as strictly as they are written: one line of data each, and at most one id. */
export function readAgUiFrames(text: string): readonly AgUiEvent[] {
  if (text !== "" && !text.endsWith("\n\n")) throw new Error("The last frame has no end.");
  return text
    .split("\n\n")
    .slice(0, -1)
    .map((frame) => {
      const [, data] = /^(?:id: [^\n]+\n)?data: ([^\n]+)$/.exec(frame) ?? [];
      if (data === undefined) throw new Error(`This is no frame: ${frame}`);
      return JSON.parse(data);
    });
}

/** What a client has after it has read a stream. */
export interface ReadByClient {
  readonly messages: readonly Message[];
  readonly state: State;
  readonly interrupts: readonly { readonly id: string }[];
}

/**
 * Has the official client of a version read a stream through everything it does with one: transport, schemas, verification, and putting the
 * messages together. Throws on whatever it refuses, and on whatever it warns about.
 */
export async function readByClient(
  version: AgUiVersion,
  frames: string,
  initial: { readonly messages?: readonly Message[]; readonly state?: State } = {},
): Promise<ReadByClient> {
  for (const event of readAgUiFrames(frames)) {
    if (version === "1.0") EventSchema.parse(event);
    else before.EventSchemas.parse(event);
  }
  const config = {
    url: "http://agent.test/",
    threadId: "thread-1",
    fetch: async () => new Response(frames, { headers: { "content-type": "text/event-stream" } }),
    initialMessages: structuredClone([...(initial.messages ?? [])]),
    initialState: initial.state,
  };
  const warnings: string[] = [];
  const warned = (...words: readonly unknown[]): void => void warnings.push(words.map(String).join(" "));
  const spies = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")].map((spy) => spy.mockImplementation(warned));
  try {
    // The two clients have the same messages, and types of their own for them.
    const agent =
      version === "1.0" ? new HttpAgent(config) : (new before.HttpAgent(config as never) as never as HttpAgent);
    await agent.runAgent();
    if (warnings.length > 0) throw new Error(`The client warned: ${warnings.join("; ")}`);
    return { messages: agent.messages, state: agent.state, interrupts: agent.pendingInterrupts };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
