import { describe, expect, it } from "vitest";
import { listenDemo, openDemo, says } from "./support/open-demo.ts";
import { askWithoutReading } from "./support/paused-client.ts";
import { type Frame, parseFrames, readFrames, readUntil, typesOf } from "./support/read-stream.ts";
import { until } from "./support/until.ts";

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** The two ways out: a socket of Node, and a body for whatever sends it. */
const WAYS = ["over a socket", "as a body"] as const;

async function openWay(way: (typeof WAYS)[number], options: Parameters<typeof openDemo>[0] = {}) {
  const demo = await openDemo(options);
  if (way === "as a body") return { ...demo, ask: demo.ask };
  const { url } = await listenDemo(demo.server);
  const ask: Ask = (path, init) => fetch(`${url}${path}`, init);
  return { ...demo, ask };
}

const start = (ask: Ask, content: string, more: object): Promise<Response> =>
  ask("/v1/runs", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(says(content, more)),
  });

describe.each(WAYS)("events %s", (way) => {
  it("continue after every event, without a gap or a repeat", async () => {
    const { ask } = await openWay(way);
    const whole = await readFrames(await start(ask, "pay 5", { threadId: "t", runId: "r" }));
    expect(typesOf(whole).at(-1)).toBe("run_finish");
    for (const [index, { id = "" }] of whole.entries()) {
      const rest = await readFrames(await ask("/v1/runs/r/events", { headers: { "last-event-id": id } }));
      expect(rest).toEqual(whole.slice(index + 1));
    }
    expect(await readFrames(await ask("/v1/runs/r/events"))).toEqual(whole);
  });

  it("end with 204 for who has read them all, so that a browser stays away", async () => {
    const { ask } = await openWay(way);
    const whole = await readFrames(await start(ask, "hello", { threadId: "t", runId: "r" }));
    const response = await ask("/v1/runs/r/events", { headers: { "last-event-id": whole.at(-1)?.id ?? "" } });
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  it("issue 14.28: are not answered 204 to a reader whose tail a lost owner never committed", async () => {
    const { ask, runtime } = await openWay(way);
    const asked = await readFrames(await start(ask, "pay 5", { threadId: "t", runId: "r" }));
    const [open] = await runtime.decisions.list();
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    await (await runtime.run("r")).outcome();
    const whole = await readFrames(await ask("/v1/runs/r/events"));
    const [, firstEpoch] = asked.at(-1)?.id?.split(":") ?? [];
    const [, lastEpoch, lastSeq] = whole.at(-1)?.id?.split(":") ?? [];
    expect(Number(lastEpoch)).toBeGreaterThan(Number(firstEpoch));
    // The first owner showed as many events as the run has now, and committed only those up to its question.
    const cursor = `r:${firstEpoch}:${lastSeq}`;
    const response = await ask("/v1/runs/r/events", { headers: { "last-event-id": cursor } });
    expect(response.status).toBe(200);
    const [reset, ...rest] = await readFrames(response);
    expect(reset?.event).toMatchObject({ type: "stream_reset", data: { from_seq: asked.length } });
    expect(rest).toEqual(whole.slice(asked.length));
  });

  it("issue 14.28: are whole for a reader that was cut off right after a withdrawal, when that tail is committed after all", async () => {
    const { ask, runtime } = await openWay(way);
    const seen = await readSome(await start(ask, "stall", { threadId: "t", runId: "r" }), "text_delta");
    const cursor = seen.at(-1)?.id ?? "";
    // The owner lives and has not committed yet what it showed.
    const resumed = await ask("/v1/runs/r/events", { headers: { "last-event-id": cursor } });
    const [reset] = await readSome(resumed, "stream_reset");
    await (await runtime.run("r")).cancel();
    await (await runtime.run("r")).outcome();
    const headers = { "last-event-id": reset?.id ?? cursor };
    const rest = await readFrames(await ask("/v1/runs/r/events", { headers }));
    const kept = keptSeqs([...seen, ...(reset === undefined ? [] : [reset]), ...rest]);
    expect(kept).toEqual((await readFrames(await ask("/v1/runs/r/events"))).map(({ event }) => event.seq));
  });

  it("of a run with an id of any characters can be read on", async () => {
    const { ask } = await openWay(way);
    const whole = await readFrames(await start(ask, "hello", { threadId: "t", runId: "läuft:1" }));
    // As a browser sends it: the bytes of UTF-8, one character each.
    const header = Buffer.from(whole[1]?.id ?? "", "utf8").toString("latin1");
    const rest = await ask(`/v1/runs/${encodeURIComponent("läuft:1")}/events`, {
      headers: { "last-event-id": header },
    });
    expect(await readFrames(rest)).toEqual(whole.slice(2));
  });

  it("that are there together are written together", async () => {
    const { ask } = await openWay(way);
    await (await start(ask, "count 1000", { threadId: "t", runId: "r" })).text();
    const response = await ask("/v1/runs/r/events");
    let chunks = 0;
    let text = "";
    for await (const chunk of response.body ?? []) {
      chunks += 1;
      text += Buffer.from(chunk).toString();
    }
    expect(parseFrames(text).length).toBeGreaterThan(1000);
    expect(chunks).toBeLessThan(100);
  });

  it("wait for the turn of a run on a busy thread, with heartbeats", async () => {
    const { ask } = await openWay(way, { streams: { heartbeatMs: 10 } });
    const first = await start(ask, "stall", { threadId: "t", runId: "r1" });
    const second = await start(ask, "hello", { threadId: "t", runId: "r2" });
    const reader = second.body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    const silence = await readUntil(reader, (text) => text.split(":\n\n").length > 3);
    expect(parseFrames(silence)).toEqual([]);
    expect((await ask("/v1/runs/r1/cancel", { method: "POST" })).status).toBe(202);
    const text = await readUntil(reader, (said) => said.includes("run_finish"));
    expect(typesOf(parseFrames(text))[0]).toBe("run_start");
    await first.text();
  });

  it("whose readers are gone do not stop their run", async () => {
    const { ask, runtime } = await openWay(way);
    const response = await start(ask, "stall", { threadId: "t", runId: "r" });
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    const seen = parseFrames(await readUntil(reader, (text) => text.includes("text_delta")));
    await reader.cancel();
    expect((await (await runtime.run("r")).record()).status).toBe("running");
    const back = await ask("/v1/runs/r/events", { headers: { "last-event-id": seen.at(-1)?.id ?? "" } });
    await (await runtime.run("r")).cancel();
    const rest = await readFrames(back);
    const kept = keptSeqs([...seen, ...rest]);
    expect(kept).toEqual(kept.map((_, index) => index + 1));
    expect(rest.at(-1)?.event.data).toMatchObject({ termination: { type: "cancelled" } });
  });

  it("end when the server closes, and the run continues", async () => {
    const { ask, server, runtime } = await openWay(way);
    const response = await start(ask, "stall", { threadId: "t", runId: "r" });
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    await readUntil(reader, (text) => text.includes("text_delta"));
    server.close();
    expect((await reader.read()).done).toBe(true);
    const run = await runtime.run("r");
    expect((await run.record()).status).toBe("running");
    await run.cancel();
    expect((await run.outcome()).status).toBe("cancelled");
  });

  it("end when the runtime closes, without an error", async () => {
    const told: unknown[] = [];
    const { ask, runtime } = await openWay(way, { onError: (error) => told.push(error) });
    const response = await start(ask, "stall", { threadId: "t", runId: "r" });
    const closing = runtime.close();
    expect(typesOf(await readFrames(response))).not.toContain("run_finish");
    await closing;
    const refused = await start(ask, "hello", { threadId: "t2" });
    expect([refused.status, refused.headers.get("x-reprise-error")]).toEqual([503, "RUNTIME_CLOSED"]);
    expect(told).toEqual([]);
  });

  it("are for so many at once, and nothing is started for one too many", async () => {
    const { ask, runtime } = await openWay(way, { streams: { maxStreams: 1 } });
    const first = await start(ask, "stall", { threadId: "t", runId: "r" });
    for (const refused of [await start(ask, "hello", { runId: "r2" }), await ask("/v1/runs/r/events")]) {
      expect([refused.status, await refused.json()]).toEqual([
        503,
        { error: "unavailable: too many streams are open" },
      ]);
    }
    expect((await runtime.runs()).total).toBe(1);
    await (await runtime.run("r")).cancel();
    await first.text();
    await until(async () => (await ask("/v1/runs/r/events")).status === 200, "a place");
  });

  it("stay open over a decision for who follows", async () => {
    const { ask } = await openWay(way);
    await (await start(ask, "pay 5", { threadId: "t", runId: "r" })).text();
    const following = await ask("/v1/runs/r/events?follow=true");
    const { items } = await (await ask("/v1/decisions?run_id=r")).json();
    const decided = await ask(`/v1/decisions/${items[0].id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ action: "approve" }),
    });
    expect(decided.status).toBe(202);
    const types = typesOf(await readFrames(following));
    expect(types.filter((type) => type === "run_finish").length).toBe(2);
    expect(types).toContain("tool_call_resumed");
  });
});

describe("a client that does not read", () => {
  it("is dropped after a while, never slows the run, and comes back for the rest", async () => {
    const limits = { maxBufferedBytes: 65_536, patienceMs: 1_000 };
    const { server, runtime, ask } = await openDemo({ streams: limits });
    const { port, url } = await listenDemo(server);
    const first = await start((path, init) => fetch(`${url}${path}`, init), "stall", { threadId: "t", runId: "r0" });
    // Queued behind the first, so that the client is there before the flood.
    const flood = await runtime.submit({
      agent_id: "assistant",
      thread_id: "t",
      run_id: "r",
      messages: [{ role: "user", content: "flood 20000" }],
    });
    const client = await askWithoutReading(port, "/v1/runs/r/events");
    await until(async () => (await (await ask("/metrics")).text()).includes("reprise_streams_open 2"), "the client");
    await (await runtime.run("r0")).cancel();
    await first.text();
    expect((await flood.outcome()).status).toBe("done");
    await until(async () => {
      const metrics = await (await ask("/metrics")).text();
      return metrics.includes("reprise_streams_dropped_total 1") && metrics.includes("reprise_streams_open 0");
    }, "the drop");

    const heard = wholeFrames(await client.readRest());
    expect(heard.length).toBeGreaterThan(0);
    expect(typesOf(heard)).not.toContain("run_finish");
    const rest = await fetch(`${url}/v1/runs/r/events`, { headers: { "last-event-id": heard.at(-1)?.id ?? "" } });
    const seqs = [...heard, ...(await readFrames(rest))].map(({ event }) => event.seq);
    const { last_seq } = await flood.record();
    expect(seqs).toEqual(Array.from({ length: last_seq }, (_, index) => index + 1));
  });

  it("that reads nothing of a body is dropped too", async () => {
    const { runtime, ask } = await openDemo({ streams: { maxBufferedBytes: 65_536, patienceMs: 100 } });
    const response = await start(ask, "flood 2000", { threadId: "t", runId: "r" });
    expect((await (await runtime.run("r")).outcome()).status).toBe("done");
    await until(async () => (await (await ask("/metrics")).text()).includes("dropped_total 1"), "the drop");
    await expect(response.text()).rejects.toThrow("did not read");
  });

  it("that is slow but reads gets everything", async () => {
    const { server, ask } = await openDemo({ streams: { maxBufferedBytes: 65_536, patienceMs: 20_000 } });
    const { url } = await listenDemo(server);
    await (await start(ask, "flood 20000", { threadId: "t", runId: "r" })).text();
    const response = await fetch(`${url}/v1/runs/r/events`);
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(bytes).toBeGreaterThan(5_000_000);
    expect(await (await ask("/metrics")).text()).toContain("reprise_streams_dropped_total 0");
  });
});

/** The frames up to the first event of a type; then the connection is given up. */
async function readSome(response: Response, type: string): Promise<readonly Frame[]> {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error("There is no body.");
  const frames = wholeFrames(
    await readUntil(reader, (text) => wholeFrames(text).some(({ event }) => event.type === type)),
  );
  await reader.cancel();
  return frames.slice(0, frames.findIndex(({ event }) => event.type === type) + 1);
}

/** What a reader has in the end: a withdrawal takes back what was shown and never committed. */
function keptSeqs(frames: readonly Frame[]): readonly number[] {
  let kept: number[] = [];
  for (const { event } of frames) {
    // The one field a withdrawal has.
    const { from_seq: from = 0 } = (event.data ?? {}) as { readonly from_seq?: number };
    if (event.type === "stream_reset") kept = kept.filter((seq) => seq <= from);
    else kept.push(event.seq ?? 0);
  }
  return kept;
}

/** Frames that came whole: a connection may be cut in the middle of one. */
function wholeFrames(text: string): readonly Frame[] {
  return parseFrames(text.slice(0, text.lastIndexOf("\n\n") + 2));
}
