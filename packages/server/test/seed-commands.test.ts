import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { type PostgresServer, startServer } from "../../stores/test/postgres/start-server.ts";
import { describeAiSdkSeed } from "./support/describe-ai-sdk-seed.ts";
import { describeHostileRequests } from "./support/describe-hostile-requests.ts";
import { readFrames, typesOf } from "./support/read-stream.ts";
import { runCurl } from "./support/run-curl.ts";
import { type DemoServer, startDemo } from "./support/start-demo.ts";

let demo: DemoServer;

const curl = (line: string): Promise<Response> => runCurl(line, demo.url);
const post = (path: string, body: object): Promise<Response> =>
  fetch(`${demo.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const said = (content: string): object => ({ messages: [{ role: "user", content }] });

/** Starts a run and reads it until it waits or is done. */
async function play(thread: string, run: string, content: string): Promise<void> {
  const response = await post("/v1/runs", { agentId: "assistant", threadId: thread, runId: run, ...said(content) });
  expect(response.status).toBe(200);
  await response.text();
}

/** What must hold wherever the threads live. */
function describeSeed(durability: string, placeOf: () => string): void {
  beforeAll(async () => {
    demo = await startDemo(placeOf());
  });
  afterAll(() => demo?.kill());

  describeAiSdkSeed(() => demo.url);
  describeHostileRequests(() => demo.url);

  describe("the command lines of the HTTP pages", () => {
    it("curl -i http://127.0.0.1:8080/health", async () => {
      const response = await curl("curl -i http://127.0.0.1:8080/health");
      expect([response.status, await response.json()]).toEqual([200, { status: "ok", durability }]);
    });

    const START = `curl -N -H 'content-type: application/json' -d '{"agentId":"assistant","threadId":"thread-1","messages":[{"role":"user","content":"hello"}]}' http://127.0.0.1:8080/v1/runs`;
    it(START, async () => {
      const response = await curl(START);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
      const frames = await readFrames(response);
      expect(typesOf(frames)).toEqual([
        "run_start",
        "step_start",
        "text_delta",
        "model_routed",
        "cost_recorded",
        "inference_complete",
        "step_end",
        "run_finish",
      ]);
      const runId = decodeURIComponent(response.headers.get("x-reprise-run-id") ?? "");
      expect(frames.map(({ id }) => id)).toEqual(frames.map((_, index) => `${runId}:1:${index + 1}`));
    });

    it.each([
      "curl 'http://127.0.0.1:8080/v1/threads?offset=0&limit=50&parent_thread_id=thread-root'",
      "curl 'http://127.0.0.1:8080/v1/runs?thread_id=thread-1&status=done&origin=ag_ui&limit=20'",
      "curl 'http://127.0.0.1:8080/v1/runs?thread_id=t1&status=done&origin=ag_ui&limit=20'",
    ])("%s finds none", async (line) => {
      const response = await curl(line);
      expect([response.status, await response.json()]).toEqual([200, { items: [], total: 0, has_more: false }]);
    });

    it("finds what there is with the same lines for what there is", async () => {
      const parented = { agentId: "assistant", threadId: "child-1", parentThreadId: "thread-root", ...said("hi") };
      await (await post("/v1/runs", parented)).text();
      const threads = await curl("curl 'http://127.0.0.1:8080/v1/threads?parent_thread_id=thread-root'");
      expect((await threads.json()).items).toMatchObject([{ thread_id: "child-1", parent_thread_id: "thread-root" }]);
      const runs = await curl(
        "curl 'http://127.0.0.1:8080/v1/runs?thread_id=child-1&status=done&origin=user&limit=20'",
      );
      expect((await runs.json()).items).toMatchObject([{ thread_id: "child-1", status: "done", metadata: null }]);
    });

    const MESSAGES =
      "curl 'http://127.0.0.1:8080/v1/threads/thread-1/messages?after=10&limit=20&order=asc&visibility=all&run_id=run-1'";
    it(MESSAGES, async () => {
      await play("thread-1", "run-1", "hello again");
      const beyond = await curl(MESSAGES);
      expect([beyond.status, await beyond.json()]).toEqual([200, { messages: [], has_more: false }]);
      const page = await (await curl(MESSAGES.replace("after=10", "after=1"))).json();
      expect(page.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
    });

    it("curl 'http://127.0.0.1:8080/v1/threads/thread-1/messages?limit=20'", async () => {
      const page = await (await curl("curl 'http://127.0.0.1:8080/v1/threads/thread-1/messages?limit=20'")).json();
      expect(page.messages.length).toBeGreaterThanOrEqual(4);
    });

    it("curl -X POST http://127.0.0.1:8080/v1/threads/thread-1/interrupt", async () => {
      const running = await post("/v1/runs", {
        agentId: "assistant",
        threadId: "thread-1",
        runId: "run-2",
        ...said("stall"),
      });
      const queued = await post("/v1/runs", {
        agentId: "assistant",
        threadId: "thread-1",
        runId: "run-3",
        ...said("later"),
      });
      const response = await curl("curl -X POST http://127.0.0.1:8080/v1/threads/thread-1/interrupt");
      expect([response.status, await response.json()]).toEqual([
        202,
        {
          status: "interrupt_requested",
          thread_id: "thread-1",
          generation: expect.any(Number),
          cancelled_run_id: "run-2",
          superseded_pending_count: 1,
          superseded_pending_entry_ids: ["run-3-entry"],
        },
      ]);
      expect((await readFrames(running)).at(-1)?.event.data).toMatchObject({ termination: { type: "cancelled" } });
      expect(await readFrames(queued)).toEqual([]);
      const gone = await (await curl("curl http://127.0.0.1:8080/v1/runs/run-3")).json();
      expect(gone).toMatchObject({ run_id: "run-3", status: "done", termination_code: "cancelled" });
    });

    const MAILBOX =
      "curl 'http://127.0.0.1:8080/v1/threads/thread-1/mailbox?offset=0&limit=50&status=queued&origin=external'";
    it(MAILBOX, async () => {
      const running = await post("/v1/runs", {
        agentId: "assistant",
        threadId: "thread-1",
        runId: "run-4",
        ...said("stall"),
      });
      const queued = await post("/v1/runs", {
        agentId: "assistant",
        threadId: "thread-1",
        runId: "run-5",
        ...said("later"),
      });
      const page = await (await curl(MAILBOX)).json();
      expect(page).toMatchObject({ total: 1, items: [{ run_id: "run-5", status: "queued", origin: "external" }] });
      const projection = await (await curl("curl http://127.0.0.1:8080/v1/runs/run-5")).json();
      expect(projection).toMatchObject({ run_id: "run-5", status: "queued", source_mailbox_entry_id: "run-5-entry" });
      const cancelled = await curl("curl -X POST http://127.0.0.1:8080/v1/runs/run-4/cancel");
      expect([cancelled.status, await cancelled.json()]).toEqual([
        202,
        { status: "cancel_requested", run_id: "run-4" },
      ]);
      await running.text();
      expect(typesOf(await readFrames(queued)).at(-1)).toBe("run_finish");
    });

    it("forwards decisions: curl -X POST … /v1/runs/run-6/inputs", async () => {
      await play("thread-2", "run-6", "pay 5");
      const { items } = await (await curl("curl http://127.0.0.1:8080/v1/decisions")).json();
      const target = items.find(({ run_id }: { run_id: string }) => run_id === "run-6").id;
      const line = `curl -X POST -H 'content-type: application/json' -d '{"decisions":[{"target_id":"${target}","decision_id":"d1","action":"resume","result":{"approved":true},"updated_at":1760000000000}]}' http://127.0.0.1:8080/v1/runs/run-6/inputs`;
      const response = await curl(line);
      expect([response.status, await response.json()]).toEqual([
        202,
        { status: "decision_forwarded", run_id: "run-6", thread_id: "thread-2" },
      ]);
      const frames = await readFrames(await fetch(`${demo.url}/v1/runs/run-6/events?follow=true`));
      expect(typesOf(frames)).toContain("tool_call_resumed");
      expect(frames.at(-1)?.event.data).toMatchObject({ result: { response: "Done." } });
    });

    it("continues a run: POST /v1/runs/run-6/inputs with messages", async () => {
      const response = await post("/v1/runs/run-6/inputs", {
        agentId: "assistant",
        ...said("continue"),
        decisions: [],
      });
      expect([response.status, await response.json()]).toEqual([
        202,
        { status: "continuation_started", parent_run_id: "run-6", thread_id: "thread-2" },
      ]);
      const id = response.headers.get("x-reprise-run-id") ?? "";
      await (await fetch(`${demo.url}/v1/runs/${id}/events`)).text();
      expect(await (await fetch(`${demo.url}/v1/runs/${id}`)).json()).toMatchObject({
        parent_run_id: "run-6",
        thread_id: "thread-2",
        status: "done",
      });
    });
  });

  describe("validation failures of the run API", () => {
    const refusal = async (response: Response): Promise<unknown> => [response.status, await response.json()];

    it("empty agentId on run creation -> 400", async () => {
      const expected = [400, { error: "bad request: agentId cannot be empty" }];
      expect(await refusal(await post("/v1/runs", { agentId: "", ...said("x") }))).toEqual(expected);
      expect(await refusal(await post("/v1/runs", said("x")))).toEqual(expected);
    });

    it("/inputs with both messages and decisions empty -> 400", async () => {
      const expected = [400, { error: "bad request: messages and decisions cannot both be empty" }];
      expect(await refusal(await post("/v1/runs/run-1/inputs", {}))).toEqual(expected);
      expect(await refusal(await post("/v1/runs/run-1/inputs", { messages: [], decisions: [] }))).toEqual(expected);
    });

    it("/inputs with messages but missing agentId -> 400", async () => {
      expect(await refusal(await post("/v1/runs/run-1/inputs", said("x")))).toEqual([
        400,
        { error: "bad request: agentId is required when messages are provided" },
      ]);
    });

    it("unknown agent_id -> 404", async () => {
      const expected = [404, { error: "agent not found: nobody" }];
      expect(await refusal(await post("/v1/runs", { agentId: "nobody", ...said("x") }))).toEqual(expected);
      await play("thread-9", "run-9", "hello");
      expect(await refusal(await post("/v1/runs/run-9/inputs", { agentId: "nobody", ...said("x") }))).toEqual(expected);
    });

    it("unknown run/task id -> 404", async () => {
      const expected = [404, { error: "run not found: run-x" }];
      expect(await refusal(await fetch(`${demo.url}/v1/runs/run-x`))).toEqual(expected);
      expect(await refusal(await fetch(`${demo.url}/v1/runs/run-x/events`))).toEqual(expected);
      expect(await refusal(await fetch(`${demo.url}/v1/runs/run-x/cancel`, { method: "POST" }))).toEqual(expected);
      const decision = { decisions: [{ target_id: "c", action: "resume" }] };
      expect(await refusal(await post("/v1/runs/run-x/inputs", decision))).toEqual(expected);
    });

    it("cancel or decide on a run that is not active -> 400 (run is not active)", async () => {
      await play("thread-10", "run-10", "hello");
      const expected = [400, { error: "bad request: run is not active" }];
      expect(await refusal(await fetch(`${demo.url}/v1/runs/run-10/cancel`, { method: "POST" }))).toEqual(expected);
      const decision = { decisions: [{ target_id: "c", action: "resume" }] };
      expect(await refusal(await post("/v1/runs/run-10/inputs", decision))).toEqual(expected);
    });

    it("unknown thread -> 404", async () => {
      const expected = [404, { error: "thread not found: none" }];
      for (const path of ["", "/messages", "/mailbox", "/state", "/history"]) {
        expect(await refusal(await fetch(`${demo.url}/v1/threads/none${path}`))).toEqual(expected);
      }
      for (const path of ["/interrupt", "/fork"]) {
        expect(await refusal(await fetch(`${demo.url}/v1/threads/none${path}`, { method: "POST" }))).toEqual(expected);
      }
      expect(await refusal(await fetch(`${demo.url}/v1/threads/none`, { method: "DELETE" }))).toEqual(expected);
    });

    it("limit is clamped to 1..=200", async () => {
      for (let index = 0; index < 3; index += 1) await play(`clamp-${index}`, `clamp-run-${index}`, "x");
      const count = async (limit: string): Promise<number> =>
        (await (await fetch(`${demo.url}/v1/threads?limit=${limit}`)).json()).items.length;
      expect(await count("0")).toBe(1);
      expect(await count("-5")).toBe(1);
      expect(await count("100000")).toBeGreaterThanOrEqual(3);
      expect((await fetch(`${demo.url}/v1/threads?limit=many`)).status).toBe(400);
    });
  });
}

describe("on SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-server-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  describeSeed("power-loss", () => join(folder, "demo.db"));
});

describeWithService("postgres", "on Postgres", (postgres) => {
  let database: PostgresServer | undefined;
  beforeAll(async () => {
    database = await startServer(postgres);
  });
  afterAll(() => database?.stop());
  // The database of the tests does not wait for the disk.
  describeSeed("process-crash", () => database?.url ?? "");
});
