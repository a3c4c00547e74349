import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { type NatsServer, startNats } from "../../stores/test/nats/start-nats.ts";
import { type PostgresServer, startServer } from "../../stores/test/postgres/start-server.ts";
import { type DemoServer, startDemo } from "./support/start-demo.ts";

type Event = { readonly type: string; readonly delta?: string };

describeWithService("nats", "two processes behind one queue group", (service) => {
  describe("on SQLite", () => {
    const folder = mkdtempSync(join(tmpdir(), "reprise-test-"));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    describeProcesses(service, () => join(folder, "demo.db"));
  });

  describeWithService("postgres", "on Postgres", (postgres) => {
    let database: PostgresServer | undefined;
    beforeAll(async () => {
      database = await startServer(postgres);
    });
    afterAll(() => database?.stop());
    describeProcesses(service, () => database?.url ?? "");
  });
});

/** What must hold of processes that share subjects, wherever their threads live. */
function describeProcesses(service: Parameters<typeof startNats>[0], placeOf: () => string): void {
  let broker: NatsServer | undefined;
  let client: NatsConnection;
  let servers: DemoServer[] = [];
  beforeAll(async () => {
    broker = await startNats(service, { hasJetStream: false });
    client = await connect({ servers: broker.url });
    const options = { program: "serve-nats.ts", variables: { NATS_URL: broker.url } };
    servers = [await startDemo(placeOf(), options), await startDemo(placeOf(), options)];
  }, 60_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill().catch(() => undefined)));
    await client?.close();
    await broker?.stop();
  });

  /** The events of a request: until the empty message that was asked for, or until `isEnough`. */
  async function ask(payload: object, isEnough: (event: Event) => boolean = () => false): Promise<readonly Event[]> {
    const given = headers();
    given.set("reprise-sentinel", "true");
    const options = { strategy: "sentinel", maxWait: 30_000, headers: given } as const;
    const events: Event[] = [];
    for await (const message of await client.requestMany("agentos.ai-sdk.runs", JSON.stringify(payload), options)) {
      if (message.data.length === 0) continue;
      const event = message.json<Event>();
      events.push(event);
      if (isEnough(event)) break;
    }
    return events;
  }

  const textOf = (events: readonly Event[]): string => events.map(({ delta = "" }) => delta).join("");

  it("answers each request once, and runs of one process are known to the other", async () => {
    const asked = Array.from({ length: 20 }, (_, index) => ({
      agentId: "assistant",
      sessionId: `t${index}`,
      input: `hi ${index}`,
      runId: `r${index}`,
    }));
    const answers = await Promise.all(asked.map((payload) => ask(payload)));
    expect(answers.map(textOf)).toEqual(asked.map(({ input }) => `You said: ${input}`));
    for (const { url } of servers) {
      const { total } = await (await fetch(`${url}/v1/runs?origin=nats`)).json();
      expect(total).toBe(20);
    }
  });

  it("streams a run of a killed process from its start to a client that asks again", async () => {
    const payload = { agentId: "assistant", sessionId: "long", input: "count 3000", runId: "long" };
    await ask(payload, ({ type }) => type === "text-delta");
    await servers[0]?.kill();
    const again = await ask(payload);
    expect(again.at(-1)?.type).toBe("finish");
    expect(textOf(again).trim().split(" ").at(-1)).toBe("2999");
    // Every request goes to the process that is left.
    const answers = await Promise.all(
      ["a", "b", "c"].map((id) => ask({ agentId: "assistant", sessionId: id, input: id })),
    );
    expect(answers.map(textOf)).toEqual(["You said: a", "You said: b", "You said: c"]);
  });
}
