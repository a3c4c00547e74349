import { createInterface } from "node:readline";
import type { LanguageModel } from "@reprise/contracts";
import { createRuntime, defineAgent } from "reprise";
import { natsLive } from "../../src/nats-live/open-nats-live.ts";
import { openPostgresStore } from "../../src/postgres/open-postgres-store.ts";

/** A worker whose model says a line for each line it is given, and ends with an empty one. */
const [, , url = "", schema = "", servers = "", owner = ""] = process.argv;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const model: LanguageModel = {
  id: "slow",
  async *stream() {
    process.stdout.write("asked\n");
    for (;;) {
      const { value = "" } = await lines.next();
      if (value === "") break;
      yield { type: "text_delta", delta: value };
    }
    yield { type: "finish", stop_reason: "end_turn" };
  },
};
const live = await natsLive(servers, { onProblem: () => undefined });
const store = await openPostgresStore({ url, schema });
const limits = { leaseMs: 1_000, renewEveryMs: 200, pollMs: 100 };
await createRuntime({ agents: [defineAgent({ id: "slow", model })], store, live, limits, instanceId: owner });
process.stdout.write("ready\n");
