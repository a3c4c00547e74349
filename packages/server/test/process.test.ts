import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type PostgresServer, startServer } from "../../stores/test/postgres/start-server.ts";
import { says } from "./support/open-demo.ts";
import { parseFrames, readFrames, readUntil, typesOf } from "./support/read-stream.ts";
import { type DemoServer, startDemo } from "./support/start-demo.ts";

async function open(place: string): Promise<DemoServer> {
  const demo = await startDemo(place);
  onTestFinished(() => demo.kill());
  return demo;
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** What must hold of servers that are processes, wherever their threads live. */
function describeProcesses(placeOf: () => string): void {
  it("serves a run, loses its client, and lets it continue where it was", async () => {
    const demo = await open(placeOf());
    const id = randomUUID();
    const control = new AbortController();
    const response = await fetch(`${demo.url}/v1/runs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(says("count 2000", { runId: id })),
      signal: control.signal,
    });
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    const text = await readUntil(reader, (heard) => heard.includes("text_delta"));
    const heard = parseFrames(text.slice(0, text.lastIndexOf("\n\n") + 2));
    control.abort();

    // Read to the end first, so that what was heard is committed and the rest follows it directly.
    const whole = await readFrames(await fetch(`${demo.url}/v1/runs/${id}/events`));
    const headers = { "last-event-id": heard.at(-1)?.id ?? "" };
    const rest = await fetch(`${demo.url}/v1/runs/${id}/events`, { headers });
    expect([...heard, ...(await readFrames(rest))]).toEqual(whole);
    expect(typesOf(whole).filter((type) => type === "text_delta").length).toBe(2000);
    expect(await demo.stop()).toBe(0);
  });

  it("is killed while a run waits for an approval, starts again, and takes the approval", async () => {
    const place = placeOf();
    const before = await open(place);
    const id = randomUUID();
    const heard = await readFrames(await post(`${before.url}/v1/runs`, says("pay 7", { runId: id })));
    await before.kill();

    const after = await open(place);
    const { items } = await (await fetch(`${after.url}/v1/decisions?run_id=${id}`)).json();
    expect(items).toMatchObject([{ run_id: id, tool_id: "pay", arguments: { amount: 7 } }]);
    const decided = await post(`${after.url}/v1/decisions/${items[0].id}`, { action: "approve" });
    expect(decided.status).toBe(202);
    const headers = { "last-event-id": heard.at(-1)?.id ?? "" };
    const frames = await readFrames(await fetch(`${after.url}/v1/runs/${id}/events?follow=true`, { headers }));
    const seqs = [...heard, ...frames].map(({ event }) => event.seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(frames.at(-1)?.event.data).toMatchObject({ result: { response: "Done." } });
    expect(await after.stop()).toBe(0);
  });
}

describe("on SQLite", () => {
  describeProcesses(() => join(createTemporaryFolder(), "demo.db"));
});

describeWithService("postgres", "on Postgres", (postgres) => {
  let database: PostgresServer | undefined;
  beforeAll(async () => {
    database = await startServer(postgres);
  });
  afterAll(() => database?.stop());
  const place = (): string => database?.url ?? "";
  describeProcesses(place);

  it("is two servers: what one started is read, decided and cancelled at the other", async () => {
    const [here, there] = await Promise.all([open(place()), open(place())]);
    const [paying, stalling] = [randomUUID(), randomUUID()];
    const heard = await readFrames(await post(`${here.url}/v1/runs`, says("pay 7", { runId: paying })));
    const { items } = await (await fetch(`${there.url}/v1/decisions?run_id=${paying}`)).json();
    expect((await post(`${there.url}/v1/decisions/${items[0].id}`, { action: "deny" })).status).toBe(202);
    const headers = { "last-event-id": heard.at(-1)?.id ?? "" };
    const frames = await readFrames(await fetch(`${there.url}/v1/runs/${paying}/events?follow=true`, { headers }));
    expect(frames.at(-1)?.event.type).toBe("run_finish");

    const stalled = await post(`${here.url}/v1/runs`, says("stall", { runId: stalling }));
    expect((await post(`${there.url}/v1/runs/${stalling}/cancel`, {})).status).toBe(202);
    const end = (await readFrames(stalled)).at(-1);
    expect(end?.event.data).toMatchObject({ termination: { type: "cancelled" } });
  });
});
