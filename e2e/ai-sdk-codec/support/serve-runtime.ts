import { AI_SDK_HEADERS, createAiSdkEncoder, decodeAiSdkRequest, selectOpenDecisions } from "@reprise/protocols/ai-sdk";
import type { RunHandle, Runtime } from "reprise";

/** The least a server has to do: the codec between a runtime and `fetch`. Without a socket, and without anything else a server is for. */
export function serveRuntime(runtime: Runtime): typeof fetch {
  let latest: RunHandle | undefined;
  return async (_, init) => {
    if (init?.method !== "POST") return latest === undefined ? new Response(null, { status: 204 }) : respond(latest, 0);
    const asked = decodeAiSdkRequest(String(init.body), "agent");
    if (asked.kind === "regenerate") return new Response("not here", { status: 501 });
    if (asked.kind === "submit") {
      latest = await runtime.submit(asked.request);
      return respond(latest, 0);
    }
    const calls = (await runtime.calls({ threadId: asked.thread_id })).items;
    const decisions = selectOpenDecisions(asked.decisions, calls);
    const call = calls.find(({ status }) => status === "suspended");
    // What the page has of the run: the decision is about what follows.
    const { last_seq } = await (await runtime.run(call?.run_id ?? "")).record();
    latest = await runtime.submit({ ...asked.request, initial_decisions: decisions });
    return respond(latest, last_seq);
  };
}

/** Streams a run from behind an event on. */
function respond(run: RunHandle, after: number): Response {
  const encoder = createAiSdkEncoder();
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for await (const { event, cursor } of run.eventsWithCursor()) {
        if (event.seq !== undefined && event.seq <= after) encoder.skip(event);
        else controller.enqueue(bytes.encode(encoder.encode(event, cursor)));
      }
      controller.enqueue(bytes.encode(encoder.end()));
      controller.close();
    },
  });
  return new Response(body, { headers: AI_SDK_HEADERS });
}
