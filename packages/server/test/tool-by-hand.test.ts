import { expect, it } from "vitest";
import { waitForCall } from "../src/wire/wait-for-call.ts";
import { openDemo, says } from "./support/open-demo.ts";
import { until } from "./support/until.ts";

it("a call that waits is approved like any other, and then its result is there", async () => {
  const { post, ask, runtime } = await openDemo();
  const response = await post("/v1/agents/assistant/tools/pay/run", { arguments: { amount: 5 }, threadId: "t" });
  const { run_id } = await response.json();
  expect([response.status, response.headers.get("x-reprise-run-id")]).toEqual([202, run_id]);
  const { items } = await (await ask(`/v1/decisions?run_id=${run_id}`)).json();
  expect((await post(`/v1/decisions/${items[0].id}`, { action: "approve" })).status).toBe(202);
  expect((await (await runtime.run(run_id)).outcome()).status).toBe("done");
  expect(await waitForCall(await runtime.run(run_id))).toMatchObject({
    status: "done",
    result: { status: "success", data: { paid: { amount: 5 } } },
  });
});

it("issue 14.20: arguments edited to something the tool does not take are 422, and the question stays open", async () => {
  const { post, ask } = await openDemo();
  const response = await post("/v1/agents/assistant/tools/pay/run", { arguments: { amount: 5 }, threadId: "t" });
  const { run_id } = await response.json();
  const open = async () => (await (await ask(`/v1/decisions?run_id=${run_id}`)).json()).items;
  const [question] = await open();
  const refused = await post(`/v1/decisions/${question.id}`, { action: "edit", arguments: { amount: "much" } });
  expect([refused.status, refused.headers.get("x-reprise-error")]).toEqual([422, "INVALID_ARGUMENTS"]);
  expect((await refused.json()).error).toMatch(/amount/);
  expect(await open()).toEqual([question]);
});

it("a call that takes too long continues after its client's wait has ended", async () => {
  const { post, runtime } = await openDemo();
  const stalled = await post("/v1/runs", says("stall", { threadId: "t", runId: "r" }));
  expect(await waitForCall(await runtime.run("r"), 20)).toEqual({ status: "running" });
  expect((await runtime.runs({ status: "running" })).total).toBe(1);
  await stalled.body?.cancel();
});

it("a call whose client goes away is made all the same", async () => {
  const { server, runtime } = await openDemo();
  const gone = new AbortController();
  const request = new Request("http://localhost/v1/agents/echo/tools/add/run", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ arguments: { a: 1, b: 2 }, threadId: "t" }),
    signal: gone.signal,
  });
  const answered = server.fetch(request).catch(() => undefined);
  await until(async () => (await runtime.runs()).total === 1, "the run");
  gone.abort();
  await answered;
  await until(async () => (await runtime.calls({ threadId: "t" })).items[0]?.status === "succeeded", "the call");
});

it("a call under a key is made once", async () => {
  const { post, runtime } = await openDemo();
  const body = { arguments: { a: 1, b: 2 } };
  const send = (): Promise<Response> => post("/v1/agents/echo/tools/add/run", body, { "idempotency-key": "k" });
  const [first, second] = [await send(), await send()];
  expect([second.status, await second.json()]).toEqual([200, await first.json()]);
  expect((await runtime.runs()).total).toBe(1);
});
