import { RepriseError } from "@reprise/contracts";
import { expect, it } from "vitest";
import { failCommits } from "../../runtime/test/support/intercept-store.ts";
import { expectGolden } from "./support/expect-golden.ts";
import { type OpenDemo, openFrozenDemo, says } from "./support/open-demo.ts";
import { until } from "./support/until.ts";

/** Parts of keys, and the times at which they are made. */
const OF_THE_MOMENT = /[0-9a-f]{16}(?:\.[0-9a-f]{4}|\.<hash>)?|\d{13}/g;

/** One finished run and one that waits. */
async function openStory(): Promise<OpenDemo> {
  const demo = await openFrozenDemo();
  await (
    await demo.post("/v1/runs", says("hello", { threadId: "t1", runId: "r1", metadata: { source: "test" } }))
  ).text();
  await (await demo.post("/v1/runs", says("pay 5", { threadId: "t2", runId: "r2", resourceId: "u1" }))).text();
  return demo;
}

it("streams a run", async () => {
  const demo = await openFrozenDemo();
  await expectGolden("post-run", await demo.post("/v1/runs", says("hello", { threadId: "t1", runId: "r1" })));
});

it("streams a run until it waits", async () => {
  const demo = await openFrozenDemo();
  await expectGolden("post-run-waiting", await demo.post("/v1/runs", says("pay 5", { threadId: "t1", runId: "r1" })));
});

it.each([
  ["health", "/health"],
  ["ready", "/ready"],
  ["agents", "/v1/agents"],
  ["threads", "/v1/threads"],
  ["summaries", "/v1/threads/summaries"],
  ["thread", "/v1/threads/t2"],
  ["messages", "/v1/threads/t1/messages"],
  ["messages-page", "/v1/threads/t1/messages?after=0&limit=1"],
  ["mailbox", "/v1/threads/t1/mailbox"],
  ["state", "/v1/threads/t2/state"],
  ["state-at-version", "/v1/threads/t2/state?version=1"],
  ["history", "/v1/threads/t1/history?limit=1"],
  ["runs", "/v1/runs"],
  ["run-done", "/v1/runs/r1"],
  ["run-waiting", "/v1/runs/r2"],
  ["events-resumed", "/v1/runs/r1/events?after=r1:1:4"],
  ["decisions", "/v1/decisions"],
  ["dead-letters", "/v1/dead-letters"],
  ["budget-missing", "/v1/runs/r1/budget"],
  ["run-export", "/v1/runs/r1/export"],
  ["run-export-waiting", "/v1/runs/r2/export"],
  ["thread-export", "/v1/threads/t1/export"],
  ["thread-export-rest", "/v1/threads/t1/export?after=1"],
  ["compare", "/v1/runs/r1/compare?with=r1"],
  ["compare-nothing", "/v1/runs/r1/compare"],
  ["costs-run", "/v1/costs?run_id=r1"],
  ["costs-thread", "/v1/costs?thread_id=t1"],
  ["costs-tree", "/v1/costs?tree_id=r1"],
  ["costs-of-nothing", "/v1/costs"],
  ["leases-none", "/v1/leases"],
  ["keys-none", "/v1/keys"],
  ["unknown-version", "/v1/threads/t1/state?version=99"],
  ["unknown-route", "/v2/anything"],
  ["foreign-cursor", "/v1/runs/r1/events?after=r2:1:1"],
  ["no-cursor", "/v1/runs/r1/events?after=everything"],
])("answers %s", async (name, path) => {
  const demo = await openStory();
  await expectGolden(name, await demo.ask(path));
});

it("shows a run that is still queued by its mailbox entry", async () => {
  const demo = await openFrozenDemo();
  await demo.post("/v1/runs", says("stall", { threadId: "t1", runId: "r1" }));
  await demo.post("/v1/runs", says("later", { threadId: "t1", runId: "r2" }));
  await expectGolden("run-queued", await demo.ask("/v1/runs/r2"));
});

it("forks a thread, changes what is known about it, and deletes it", async () => {
  const demo = await openStory();
  await expectGolden("fork", await demo.post("/v1/threads/t1/fork", { version: 1, threadId: "t3" }));
  const change = {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title: "A title" }),
  };
  await expectGolden("patch-metadata", await demo.ask("/v1/threads/t3/metadata", change));
  const deleted = await demo.ask("/v1/threads/t3", { method: "DELETE" });
  expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
  await expectGolden("thread-missing", await demo.ask("/v1/threads/t3"));
});

it("decides, once", async () => {
  const demo = await openStory();
  const { items } = await (await demo.ask("/v1/decisions?thread_id=t2")).json();
  const path = `/v1/decisions/${items[0].id}`;
  await expectGolden("decision", await demo.post(path, { action: "edit", arguments: { amount: 4 }, reason: "less" }));
  await expectGolden("decision-conflict", await demo.post(path, { action: "deny", decision_id: "other" }));
  await (await demo.ask("/v1/runs/r2/events?follow=true")).text();
  const call = await demo.runtime.calls({ runId: "r2" });
  expect(call.items).toMatchObject([{ status: "succeeded", arguments: { amount: 4 } }]);
});

it("replays a finished run, and no other", async () => {
  const demo = await openStory();
  await expectGolden("replay", await demo.ask("/v1/runs/r1/replay", { method: "POST" }));
  await expectGolden("replay-reexecute", await demo.post("/v1/runs/r1/replay", { mode: "reexecute" }));
  await expectGolden("replay-waiting", await demo.post("/v1/runs/r2/replay", {}));
  await expectGolden("replay-mode", await demo.post("/v1/runs/r1/replay", { mode: "again" }));
});

it("runs a finished run again from a step, with changes, and compares the two", async () => {
  const demo = await openStory();
  const changes = { instructions: "Be brief." };
  const started = await demo.post("/v1/runs/r1/rerun", { step: 1, changes, threadId: "t4" });
  const { run_id: rerun } = await started.clone().json();
  await expectGolden("rerun", started);
  await (await demo.ask(`/v1/runs/${rerun}/events`)).text();
  await expectGolden("compare-rerun", await demo.ask(`/v1/runs/r1/compare?with=${rerun}`));
  await expectGolden("rerun-step", await demo.post("/v1/runs/r1/rerun", { step: 7 }));
  await expectGolden("rerun-nothing", await demo.post("/v1/runs/r1/rerun", {}));
  await expectGolden("rerun-tools", await demo.post("/v1/runs/r1/rerun", { step: 1, changes: { tools: ["pay"] } }));
});

it("calls a tool by hand", async () => {
  const demo = await openFrozenDemo();
  const waits = await demo.post("/v1/agents/assistant/tools/pay/run", { arguments: { amount: 5 }, threadId: "t1" });
  await expectGolden("call-waiting", waits);
  await expectGolden("call-done", await demo.post("/v1/agents/echo/tools/add/run", { arguments: { a: 2, b: 40 } }));
  await expectGolden("call-failed", await demo.post("/v1/agents/echo/tools/add/run", { arguments: { a: "two" } }));
  await expectGolden("call-unknown", await demo.ask("/v1/agents/assistant/tools/none/run", { method: "POST" }));
  await expectGolden("call-nobody", await demo.ask("/v1/agents/nobody/tools/pay/run", { method: "POST" }));
});

it("says what would happen to a call", async () => {
  const demo = await openFrozenDemo();
  const preview = (body: object): Promise<Response> => demo.post("/v1/permissions/preview", body);
  await expectGolden("preview-ask", await preview({ agent_id: "assistant", tool_id: "pay", arguments: { amount: 5 } }));
  await expectGolden("preview-allow", await preview({ agentId: "echo", toolId: "add" }));
  await expectGolden("preview-unknown", await preview({ agent_id: "assistant", tool_id: "none" }));
  await expectGolden("preview-nothing", await preview({}));
  const ruled = await openFrozenDemo({
    previewPermission: ({ tool_id }, { id }) => ({
      decision: "deny",
      reason: `${id} may not ${tool_id}`,
      source: "rule",
    }),
  });
  await expectGolden("preview-deny", await ruled.post("/v1/permissions/preview", { agent_id: "echo", tool_id: "add" }));
});

it("shows who works on what", async () => {
  const demo = await openFrozenDemo();
  const stalled = await demo.post("/v1/runs", says("stall", { threadId: "t1", runId: "r1" }));
  const { items } = await (await demo.ask("/v1/leases")).json();
  expect(items).toMatchObject([{ thread_id: "t1", run_id: "r1", epoch: 1, is_expired: false }]);
  await expectGolden("leases", await demo.ask("/v1/leases"));
  await stalled.body?.cancel();
});

it("makes a key, shows it once, and takes it back", async () => {
  const demo = await openFrozenDemo();
  const body = { name: "dashboard", scopes: ["read"], expiresAt: Date.now() + 3_600_000 };
  const answer = await demo.post("/v1/keys", body);
  const made = await answer.clone().json();
  await expectGolden("key-made", answer, OF_THE_MOMENT);
  expect(made).toMatchObject({ name: "dashboard", scopes: ["read"], key: expect.stringContaining(made.prefix) });
  const { key, ...kept } = made;
  const keys = await demo.ask("/v1/keys");
  const listed = await keys.clone().text();
  await expectGolden("keys", keys, OF_THE_MOMENT);
  expect([JSON.parse(listed), listed.includes(key)]).toEqual([{ items: [kept] }, false]);
  expect((await demo.ask(`/v1/keys/${made.id}`, { method: "DELETE" })).status).toBe(204);
  await expectGolden("key-missing", await demo.ask("/v1/keys/0000000000000000", { method: "DELETE" }));
  await expectGolden("key-scopes", await demo.post("/v1/keys", { name: "x", scopes: ["everything"] }));
  await expectGolden("key-name", await demo.post("/v1/keys", { scopes: ["read"] }));
  await expectGolden("key-repeat", await demo.post("/v1/keys", body, { "idempotency-key": "k" }));
});

it("takes what is said to a run", async () => {
  const demo = await openStory();
  const { items } = await (await demo.ask("/v1/decisions?thread_id=t2")).json();
  const decisions = [{ target_id: items[0].id, action: "resume", result: { approved: true } }];
  await expectGolden("inputs-decided", await demo.post("/v1/runs/r2/inputs", { decisions }));
  const said = says("go on");
  await expectGolden("inputs-continued", await demo.post("/v1/runs/r1/inputs", said));
  await expectGolden("inputs-nothing", await demo.post("/v1/runs/r1/inputs", {}));
});

it("cancels a run that is not over", async () => {
  const demo = await openFrozenDemo();
  const stalled = await demo.post("/v1/runs", says("stall", { threadId: "t1", runId: "r1" }));
  await expectGolden("cancel", await demo.post("/v1/runs/r1/cancel"));
  await stalled.text();
  await expectGolden("cancel-again", await demo.post("/v1/runs/r1/cancel"));
});

it("stores a blob", async () => {
  const demo = await openFrozenDemo();
  const init = { method: "POST", headers: { "content-type": "image/png" }, body: Uint8Array.of(1, 2, 3) };
  await expectGolden("blob", await demo.ask("/v1/blobs", init));
});

it("interrupts a thread with nothing to interrupt", async () => {
  const demo = await openStory();
  await expectGolden("interrupt", await demo.ask("/v1/threads/t1/interrupt", { method: "POST" }));
});

it("tells what a run may spend", async () => {
  const demo = await openFrozenDemo();
  const policy = { budget: { limit_tokens: 100_000 } };
  await (await demo.post("/v1/runs", says("hello", { threadId: "t1", runId: "r1", policy }))).text();
  const answer = await demo.ask("/v1/runs/r1/budget");
  const budget = await answer.clone().json();
  await expectGolden("budget", answer);
  expect(budget).toMatchObject({ limit_tokens: 100_000, on_exceeded: "fail", spent: { tokens: expect.any(Number) } });
  const change = (limits: object): Promise<Response> =>
    demo.ask("/v1/runs/r1/budget", {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(limits),
    });
  expect(await (await change({ limit_tokens: 5_000 })).json()).toMatchObject({ limit_tokens: 5_000 });
  await expectGolden("budget-wrong", await change({ limit_tokens: -1 }));
  await expectGolden("budget-nothing", await change({}));
});

it("lists what could not be started, and gives it another chance", async () => {
  let isBroken = true;
  const broken = new RepriseError("INVALID_REQUEST", "It cannot be.");
  const demo = await openFrozenDemo({
    wrapStore: (store) =>
      failCommits(store, (_, { run_id, reasons }) =>
        isBroken && reasons.includes("user_message") && run_id === "r2" ? broken : undefined,
      ),
  });
  // Behind a run that is still at work: it is stored with its place in the mailbox, and started by a commit.
  const first = await demo.post("/v1/runs", says("stall", { threadId: "t1", runId: "r1" }));
  const second = await demo.post("/v1/runs", says("again", { threadId: "t1", runId: "r2" }));
  await demo.ask("/v1/runs/r1/cancel", { method: "POST" });
  await Promise.all([first.text(), second.text()]);
  await expectGolden("dead-letter", await demo.ask("/v1/dead-letters?thread_id=t1"));
  await expectGolden("run-dead", await demo.ask("/v1/runs/r2"));
  isBroken = false;
  await expectGolden("requeued", await demo.ask("/v1/threads/t1/mailbox/r2-entry/requeue", { method: "POST" }));
  await expectGolden("not-requeued", await demo.ask("/v1/threads/t1/mailbox/r1-entry/requeue", { method: "POST" }));
  expect(await (await demo.ask("/v1/runs/r2/events")).text()).toContain("You said: again");
});

it("counts", async () => {
  const demo = await openStory();
  await demo.ask("/v1/runs/none");
  await until(async () => (await (await demo.ask("/metrics")).text()).includes("runs_active 0"), "the end of the runs");
  // How long something took is different every time.
  const times = /(?<=_seconds_(?:bucket|sum)\{.*\} )\S+/g;
  await expectGolden("metrics", await demo.ask("/metrics"), times);
});
