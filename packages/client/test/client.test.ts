import { createClient, RequestError } from "@reprise/client";
import { expect, it } from "vitest";
import { listenDemo, openDemo, says } from "../../server/test/support/open-demo.ts";

async function open(options: Parameters<typeof openDemo>[0] = {}) {
  const demo = await openDemo(options);
  const { url } = await listenDemo(demo.server);
  return { ...demo, url, client: createClient({ baseUrl: url }) };
}

async function typesOf(events: AsyncIterable<{ readonly event: { readonly type: string } }>) {
  const types: string[] = [];
  for await (const { event } of events) types.push(event.type);
  return types;
}

it("starts a run, reads its events, and asks for it by typed paths", async () => {
  const { client } = await open();
  const { runId, threadId, events } = await client.start({
    agentId: "assistant",
    messages: [{ role: "user", content: "hi" }],
  });
  expect((await typesOf(events)).at(-1)).toBe("run_finish");
  const { data } = await client.GET("/v1/runs/{id}", { params: { path: { id: runId } } });
  expect(data).toMatchObject({ run_id: runId, thread_id: threadId, status: "done" });
  const missing = await client.GET("/v1/runs/{id}", { params: { path: { id: "none" } } });
  expect(missing.error).toEqual({ error: "run not found: none" });
});

it("reads on where the connection broke, without a gap or a repeat", async () => {
  const { url, client } = await open();
  const whole: string[] = [];
  const { runId, events } = await client.start(says("count 30") as never);
  for await (const { cursor } of events) whole.push(cursor ?? "");
  let cuts = 0;
  // Every response ends after its fifth event, as a connection that is lost would.
  const cutting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 200) return response;
    cuts += 1;
    const text = await response.text();
    return new Response(text.split("\n\n").slice(0, 5).join("\n\n").concat("\n\n"), response);
  };
  const read: string[] = [];
  for await (const { cursor } of createClient({ baseUrl: url, fetch: cutting }).events(runId)) read.push(cursor ?? "");
  expect(read).toEqual(whole);
  expect(cuts).toBeGreaterThan(5);
}, 60_000);

it("stays with a run that waits, when it is asked to", async () => {
  const { client, runtime } = await open();
  const { runId, events } = await client.start(says("pay 5") as never);
  expect((await typesOf(events)).at(-1)).toBe("run_finish");
  const stayed = typesOf(client.events(runId, { follow: true }));
  await runtime.decisions.decide((await runtime.decisions.list())[0]?.id ?? "", { action: "approve" });
  const types = await stayed;
  expect(types.filter((type) => type === "run_finish")).toHaveLength(2);
});

it("sends its token, and throws what the server refuses", async () => {
  const authenticate = async (headers: Headers) =>
    headers.get("authorization") === "Bearer t" ? ({ id: "p", scopes: ["admin"] } as const) : undefined;
  const { url } = await open({ authenticate });
  const stranger = createClient({ baseUrl: url });
  await expect(stranger.start(says("hi") as never)).rejects.toThrow(RequestError);
  await expect(typesOf(stranger.events("r"))).rejects.toMatchObject({ status: 401 });
  const known = createClient({ baseUrl: url, token: async () => "t" });
  expect((await known.GET("/v1/agents")).data).toBeDefined();
});

it("stops reading when its signal says so", async () => {
  const { client, runtime } = await open();
  const stop = new AbortController();
  const { runId, events } = await client.start(says("stall") as never, { signal: stop.signal });
  for await (const { event } of events) if (event.type === "text_delta") stop.abort();
  expect(await (await runtime.run(runId)).record()).toMatchObject({ status: "running" });
});
