import { expect, it } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

async function runFor(path: string, body: object, headers: Record<string, string>) {
  const { post, ask } = await openDemo();
  const response = await post(path, body, headers);
  await response.text();
  const { items } = await (await ask("/v1/runs")).json();
  return items[0];
}

async function traceOf(path: string, body: object, traceparent: string): Promise<unknown> {
  return (await runFor(path, body, { traceparent })).traceparent;
}

it("has a run continue the trace that the header of its request names", async () => {
  expect(await traceOf("/v1/runs", says("hello"), TRACE)).toBe(TRACE);
});

it("has a run of the AI SDK route continue the trace of its request", async () => {
  const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text: "hello" }] }];
  expect(await traceOf("/v1/ai-sdk/agents/assistant/runs", { id: "t", messages }, TRACE)).toBe(TRACE);
});

it.each(["", "nonsense", "00-00000000000000000000000000000000-b7ad6b7169203331-01", `${TRACE}-extra`])(
  "starts a run without a trace when the header is %j",
  async (header) => {
    expect(await traceOf("/v1/runs", says("hello"), header)).toBeUndefined();
  },
);

it("keeps what the tracing systems along the way say beside the trace", async () => {
  const headers = { traceparent: TRACE, tracestate: " rojo=00f067aa0ba902b7, congo=t61rcWkgMzE " };
  expect(await runFor("/v1/runs", says("hello"), headers)).toMatchObject({
    traceparent: TRACE,
    tracestate: "rojo=00f067aa0ba902b7, congo=t61rcWkgMzE",
  });
});

it.each([
  { tracestate: "rojo=1" },
  { traceparent: "nonsense", tracestate: "rojo=1" },
  { traceparent: TRACE, tracestate: "nonsense" },
  { traceparent: TRACE, tracestate: `rojo=${"x".repeat(512)}` },
])("starts a run without the state of a trace for the headers %j", async (headers) => {
  const run = await runFor("/v1/runs", says("hello"), headers);
  expect(run.run_id).toEqual(expect.any(String));
  expect(run).not.toHaveProperty("tracestate");
});
