import type { Message } from "@reprise/contracts";
import type { ScriptStep } from "@reprise/models";
import { startModelServer } from "@reprise/testkit/model-server";
import { turnOf } from "./chaos-model.ts";
import { placeInScript } from "./place-in-script.ts";

/** A request as it came in over HTTP. */
export interface ModelArrival {
  readonly at: number;
  readonly script: string;
}

/** A provider of models in the process of the rig, which no fault touches: what it was asked, it was asked. */
export interface ScriptServer {
  readonly url: string;
  readonly arrivals: readonly ModelArrival[];
  close(): Promise<void>;
}

/** Starts a server that plays the scripts of the workload over chat completions. */
export async function startScriptServer(): Promise<ScriptServer> {
  const arrivals: ModelArrival[] = [];
  const server = await startModelServer(({ body }) => {
    const place = placeInScript(messagesOf(body));
    if (place === undefined) return [{ fail: "invalid_request" }];
    arrivals.push({ at: Date.now(), script: place.script });
    const { text, calls } = turnOf(place.script, place.step);
    return [{ text }, ...calls.map((call): ScriptStep => ({ call: call.tool, arguments: call.arguments }))];
  });
  return { url: `${server.url}/v1`, arrivals, close: () => server.close() };
}

/** The messages of a request, as far as scripts are looked for in them. */
function messagesOf(body: unknown): readonly Message[] {
  // Sent by our own adapter.
  const { messages } = body as { readonly messages: readonly Pick<Message, "role" | "content">[] };
  return messages.map(({ role, content }) => ({ id: "", role, content: content ?? "" }));
}
