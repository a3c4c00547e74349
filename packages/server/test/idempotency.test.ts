import { RepriseError, type Store } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { failCommits } from "../../runtime/test/support/intercept-store.ts";
import { openDemo, says } from "./support/open-demo.ts";
import { readFrames } from "./support/read-stream.ts";

const KEY = { "idempotency-key": "k1" };

describe("a request that is sent again under its key", () => {
  it("starts one run, and streams it again", async () => {
    const { post, runtime } = await openDemo();
    const first = await post("/v1/runs", says("hello"), KEY);
    const second = await post("/v1/runs", says("hello"), KEY);
    expect(second.headers.get("x-reprise-run-id")).toBe(first.headers.get("x-reprise-run-id"));
    expect(second.headers.get("x-reprise-thread-id")).toBe(first.headers.get("x-reprise-thread-id"));
    expect(await readFrames(second)).toEqual(await readFrames(first));
    expect((await runtime.runs()).total).toBe(1);
  });

  it("starts one run when all come at once", async () => {
    const { post, runtime } = await openDemo();
    const responses = await Promise.all(Array.from({ length: 8 }, () => post("/v1/runs", says("hello"), KEY)));
    const streams = await Promise.all(responses.map(readFrames));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(new Set(streams.map((frames) => JSON.stringify(frames))).size).toBe(1);
    expect((await runtime.runs()).total).toBe(1);
  });

  it("starts the run whose first request died before it could", async () => {
    const { post, runtime } = await openDemo({ onError: () => undefined });
    // The first request gets as far as remembering its ids.
    const submit = runtime.submit.bind(runtime);
    runtime.submit = () => Promise.reject(new Error("the process died"));
    expect((await post("/v1/runs", says("hello"), KEY)).status).toBe(500);
    runtime.submit = submit;
    const { items } = await runtime.documents.listDocuments({ kind: "idempotency" });
    const response = await post("/v1/runs", says("hello"), KEY);
    expect(items).toMatchObject([{ body: { run_id: response.headers.get("x-reprise-run-id") } }]);
    expect((await readFrames(response)).at(-1)?.event.type).toBe("run_finish");
  });

  it("gets the same answer, and is done once", async () => {
    const { post, runtime } = await openDemo();
    await (await post("/v1/runs", says("hello", { threadId: "t" }))).text();
    const first = await post("/v1/threads/t/fork", {}, KEY);
    const second = await post("/v1/threads/t/fork", {}, KEY);
    expect([second.status, await second.json()]).toEqual([201, await first.json()]);
    expect((await runtime.threads.list()).total).toBe(2);
    expect((await post("/v1/threads/t/fork", {}, { "idempotency-key": "k2" })).status).toBe(201);
    expect((await runtime.threads.list()).total).toBe(3);
  });

  it.each([
    ["/v1/threads/t/fork", {}, 201, { runs: 1, threads: 2 }],
    ["/v1/agents/echo/tools/add/run", { arguments: { a: 1, b: 2 } }, 200, { runs: 2, threads: 2 }],
    ["/v1/runs/r/rerun", { step: 1 }, 202, { runs: 2, threads: 2 }],
    [
      "/v1/runs/r/inputs",
      { agentId: "echo", messages: [{ role: "user", content: "x" }] },
      202,
      { runs: 2, threads: 1 },
    ],
  ])(
    "issue 14.32: is answered from what was begun when the answer was lost: %s",
    async (path, body, status, totals) => {
      const told: unknown[] = [];
      const { post, runtime } = await openDemo({ onError: (error) => told.push(error) });
      await (await post("/v1/runs", says("hello", { threadId: "t", runId: "r" }))).text();
      const { documents } = runtime;
      const save = documents.saveDocument.bind(documents);
      // The reservation is made, and then the store is gone.
      let saves = 0;
      documents.saveDocument = (...what) => {
        saves += 1;
        return saves === 1 ? save(...what) : Promise.reject(new Error("no store"));
      };
      const first = await post(path, body, KEY);
      documents.saveDocument = save;
      const again = await post(path, body, KEY);
      expect([first.status, again.status, await again.json()]).toEqual([status, status, await first.json()]);
      expect([(await runtime.runs()).total, (await runtime.threads.list()).total]).toEqual([
        totals.runs,
        totals.threads,
      ]);
      expect(told).toMatchObject([{ message: "no store" }]);
    },
  );

  /** A server on which thread `t` has the run `r`, which waits. Until `mend` no answer can be kept. */
  async function openLosingAnswers(wrapStore: (store: Store) => Store = (store) => store) {
    const demo = await openDemo({ onError: () => undefined, wrapStore });
    await (await demo.post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }))).text();
    const { documents } = demo.runtime;
    const save = documents.saveDocument.bind(documents);
    documents.saveDocument = (document, expected) =>
      expected === 0 ? save(document, expected) : Promise.reject(new Error("no store"));
    const mend = (): void => {
      documents.saveDocument = save;
    };
    return { ...demo, mend };
  }

  it("issue 14.32: interrupts once when the answer was lost, and leaves what came after it alone", async () => {
    const { post, runtime, mend } = await openLosingAnswers();
    const first = await post("/v1/threads/t/interrupt", {}, KEY);
    await (await runtime.run("r")).outcome();
    await (await post("/v1/runs", says("pay 6", { threadId: "t", runId: "later" }))).text();
    mend();
    const again = await post("/v1/threads/t/interrupt", {}, KEY);
    expect([again.status, await again.json()]).toEqual([202, await first.json()]);
    expect(await (await runtime.run("later")).record()).toMatchObject({ status: "waiting" });
  });

  it("issue 14.32: answers a cancellation again when its answer was lost and the run has ended", async () => {
    const { post, runtime, mend } = await openLosingAnswers();
    const first = await post("/v1/runs/r/cancel", {}, KEY);
    await (await runtime.run("r")).outcome();
    mend();
    const again = await post("/v1/runs/r/cancel", {}, KEY);
    expect([again.status, await again.json()]).toEqual([202, await first.json()]);
    expect((await post("/v1/runs/r/cancel", {}, { "idempotency-key": "k2" })).headers.get("x-reprise-error")).toBe(
      "RUN_NOT_ACTIVE",
    );
  });

  it("issue 14.32: requeues a dead letter once when the answer was lost", async () => {
    let isBroken = true;
    const broken = new RepriseError("INVALID_REQUEST", "It cannot be.");
    const { post, ask, runtime, mend } = await openLosingAnswers((store) =>
      failCommits(store, (_, { run_id, reasons }) =>
        isBroken && reasons.includes("user_message") && run_id === "dead" ? broken : undefined,
      ),
    );
    // Behind a run that is at work: it is started by a commit, which fails.
    const busy = await post("/v1/runs", says("stall", { threadId: "t2", runId: "busy" }));
    const dead = await post("/v1/runs", says("again", { threadId: "t2", runId: "dead" }));
    await post("/v1/runs/busy/cancel");
    await Promise.all([busy.text(), dead.text()]);
    isBroken = false;
    const first = await post("/v1/threads/t2/mailbox/dead-entry/requeue", {}, KEY);
    expect([first.status, (await first.json()).status]).toEqual([202, "queued"]);
    await (await ask("/v1/runs/dead/events")).text();
    mend();
    const again = await post("/v1/threads/t2/mailbox/dead-entry/requeue", {}, KEY);
    expect([again.status, await again.json()]).toMatchObject([202, { entry_id: "dead-entry", status: "accepted" }]);
    expect(await (await runtime.run("dead")).record()).toMatchObject({ status: "done" });
  });

  it("decides once, and streams the run it decided about", async () => {
    const { post, runtime } = await openDemo();
    await (await post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }))).text();
    const [open] = await runtime.decisions.list();
    const body = {
      agentId: "assistant",
      threadId: "t",
      decisions: [{ target_id: open?.id, action: "resume", result: { approved: true } }],
    };
    const [first, second] = [await post("/v1/runs", body, KEY), await post("/v1/runs", body, KEY)];
    expect([first, second].map(({ headers }) => headers.get("x-reprise-run-id"))).toEqual(["r", "r"]);
    await first.text();
    const third = await post("/v1/runs", body, KEY);
    expect([third.status, (await readFrames(third)).at(-1)?.event.type]).toEqual([200, "run_finish"]);
    expect((await runtime.runs()).total).toBe(1);
  });

  it("is refused when it asks for something else", async () => {
    const { post } = await openDemo();
    await (await post("/v1/runs", says("hello", { threadId: "t" }), KEY)).text();
    const expected = [409, { error: "conflict: this Idempotency-Key was used for another request" }];
    const other = await post("/v1/runs", says("goodbye", { threadId: "t" }), KEY);
    expect([other.status, await other.json()]).toEqual(expected);
    const elsewhere = await post("/v1/threads/t/fork", {}, KEY);
    expect([elsewhere.status, await elsewhere.json()]).toEqual(expected);
  });

  it("is judged anew when it was refused", async () => {
    const { post } = await openDemo();
    expect((await post("/v1/threads/t/fork", {}, KEY)).status).toBe(404);
    await (await post("/v1/runs", says("hello", { threadId: "t" }))).text();
    expect((await post("/v1/threads/t/fork", {}, KEY)).status).toBe(201);
  });

  it("is another one for another principal", async () => {
    const { ask, runtime } = await openDemo({
      authenticate: async (headers) => ({ id: headers.get("authorization") ?? "", scopes: ["run"] }),
    });
    for (const authorization of ["ann", "bob"]) {
      const headers = { authorization, "content-type": "application/json", ...KEY };
      await (await ask("/v1/runs", { method: "POST", headers, body: JSON.stringify(says("hello")) })).text();
    }
    expect((await runtime.runs()).total).toBe(2);
  });

  it("has a key that can be kept", async () => {
    const { post } = await openDemo();
    expect((await post("/v1/runs", says("x"), { "idempotency-key": "x".repeat(256) })).status).toBe(400);
  });
});
