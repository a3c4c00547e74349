import { createRuntime, defineAgent, defineTool, scriptedModel } from "reprise";
import { openNatsBufferedStore } from "../../src/nats-buffered/open-nats-buffered-store.ts";

/** Starts a run whose second call never comes back, and says so from there. */
const [, , url = "", schema = "", servers = "", stream = ""] = process.argv;
const place = { postgres: { url, schema }, nats: { servers }, stream, prefix: stream };
const store = await openNatsBufferedStore(place);
const work = defineTool({ id: "work", description: "Works.", execute: () => "done" });
const hang = defineTool({
  id: "hang",
  description: "Does not come back.",
  idempotent: true,
  async execute() {
    process.stdout.write("hangs\n");
    return new Promise<never>(() => {});
  },
});
const agent = defineAgent({
  id: "agent",
  tools: [work, hang],
  model: scriptedModel([[{ call: "work" }], [{ call: "hang" }], "All done."]),
});
const limits = { leaseMs: 1_000, renewEveryMs: 200 };
const runtime = await createRuntime({ agents: [agent], store, limits });
await runtime.start({ agent: "agent", threadId: "thread-1", input: "Go." });
