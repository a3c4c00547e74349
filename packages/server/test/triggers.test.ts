import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, type Runtime } from "@reprise/runtime";
import { openSchedules } from "@reprise/server";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { createFakeEnv, type FakeEnv } from "@reprise/testkit";
import { defineWorkflow, type WorkflowDocument } from "@reprise/workflow";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { type openDemo, openFrozenDemo } from "./support/open-demo.ts";
import { documentOf, workflowProgram } from "./support/workflow-demo.ts";

const MINUTE = 60_000;
/** A whole hour. */
const START = Date.UTC(2027, 0, 1, 12);

function every(cron: string, timezone?: string): WorkflowDocument {
  return documentOf({
    id: "report",
    inputs: [{ name: "day", type: "string", default: "today" }],
    trigger: { type: "schedule", cron, ...(timezone !== undefined && { timezone }), inputs: { day: "monday" } },
    nodes: [{ id: "out", type: "output" }],
  });
}

/** Several processes on one store. Each has its schedules open from its start to its end. */
function openWorld(document: WorkflowDocument, env: FakeEnv = createFakeEnv({ now: START + 1 })) {
  const store = createMemoryStore({ clock: env.clock });
  const blobs = createMemoryBlobStore(env);
  let last: Runtime | undefined;
  const startProcess = async (): Promise<() => Promise<void>> => {
    const agents = [defineWorkflow(document)];
    const limits = { closeTimeoutMs: 1 };
    const runtime = await createRuntime({ agents, programs: [workflowProgram()], store, blobs, env, limits });
    const schedules = openSchedules({ runtime, clock: env.clock, log: env.log });
    last = runtime;
    await env.advance(0);
    const stop = async (): Promise<void> => {
      schedules.close();
      void runtime.close().catch(() => undefined);
      await env.advance(2);
    };
    onTestFinished(stop);
    return stop;
  };
  /** The times that were fired, as minutes after the start. */
  const fired = async (): Promise<readonly number[]> => {
    if (last === undefined) return [];
    const page = await last.runs({ origin: "schedule", limit: 200 });
    return page.items
      .map(({ metadata }) => (Date.parse(String(metadata?.scheduled_at)) - START) / MINUTE)
      .toSorted((one, other) => one - other);
  };
  return { env, startProcess, fired };
}

describe("a schedule", () => {
  it("fires each time once, however many processes there are", async () => {
    const world = openWorld(every("*/5 * * * *"));
    for (let count = 0; count < 3; count += 1) await world.startProcess();
    for (let minute = 0; minute < 21; minute += 1) await world.env.advance(MINUTE);
    expect(await world.fired()).toEqual([5, 10, 15, 20]);
  });

  it("fires a time once that was missed while no process was there, the last one alone", async () => {
    const world = openWorld(every("*/10 * * * *"));
    const stop = await world.startProcess();
    await world.env.advance(11 * MINUTE);
    await stop();
    await world.env.advance(34 * MINUTE);
    await world.startProcess();
    await world.startProcess();
    await world.env.advance(MINUTE);
    expect(await world.fired()).toEqual([10, 40]);
  });

  it("owes nothing for the time before it was first seen", async () => {
    const world = openWorld(every("0 * * * *"));
    await world.startProcess();
    await world.env.advance(MINUTE);
    expect(await world.fired()).toEqual([]);
  });

  it("has the hours of its time zone", async () => {
    const world = openWorld(every("30 14 * * *", "Europe/Berlin"));
    await world.startProcess();
    for (let minute = 0; minute < 119; minute += 1) await world.env.advance(MINUTE);
    expect(await world.fired()).toEqual([90]);
  });

  it("says that an expression is none, and leaves the others alone", async () => {
    const world = openWorld(every("at noon"));
    await world.startProcess();
    expect(world.env.lines).toContainEqual(
      expect.objectContaining({ level: "error", message: "a workflow has no valid schedule" }),
    );
  });

  it("never fires a time twice and loses none while a process is there, whatever dies", async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 150_000 }) }),
      },
      fc.record({ type: fc.constant("start" as const) }),
      fc.record({ type: fc.constant("stop" as const), which: fc.nat({ max: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const world = openWorld(every("* * * * *"));
        const open = [await world.startProcess()];
        /** The minutes that passed while a process was there. */
        const owed = new Set<number>();
        for (const each of steps) {
          if (each.type === "start") open.push(await world.startProcess());
          else if (each.type === "stop") await open.splice(each.which % Math.max(open.length, 1), 1)[0]?.();
          else {
            // The clock moves in small steps, as it does.
            for (let left = each.ms; left > 0; left -= 5_000) {
              const before = world.env.clock.now();
              await world.env.advance(Math.min(left, 5_000));
              const minute = Math.floor((world.env.clock.now() - START) / MINUTE);
              if (open.length > 0 && Math.floor((before - START) / MINUTE) < minute) owed.add(minute);
            }
          }
        }
        const fired = await world.fired();
        expect(new Set(fired).size).toBe(fired.length);
        for (const minute of owed) expect(fired).toContain(minute);
        for (const stop of open) await stop();
      }),
      { numRuns: 25 },
    );
  });
});

describe("a webhook", () => {
  const SECRET = "whsec-value";
  const document = documentOf({
    id: "deploy",
    inputs: [
      { name: "branch", type: "string", required: true },
      { name: "target", type: "string", default: "staging" },
    ],
    trigger: { type: "webhook", secret: "DEPLOY_SECRET", inputs: { target: "eu" } },
    nodes: [
      { id: "in", type: "input" },
      { id: "out", type: "output" },
    ],
    edges: [{ from: "in", to: "out" }],
  });

  async function open(more: Parameters<typeof openDemo>[0] = {}) {
    const agents = [defineWorkflow(document), defineWorkflow(every("* * * * *"))];
    const secret = (name: string): string | undefined => (name === "DEPLOY_SECRET" ? SECRET : undefined);
    const authenticate = async () => undefined;
    const demo = await openFrozenDemo({ agents, programs: [workflowProgram()], secret, authenticate, ...more });
    const seconds = Math.floor(demo.runtime.now() / 1_000);
    const send = async (
      body: string,
      {
        at = seconds,
        key = SECRET,
        id = "deploy",
        signed = body,
        headers: more = {},
      }: { at?: number; key?: string; id?: string; signed?: string; headers?: Readonly<Record<string, string>> } = {},
    ): Promise<Response> => {
      const digits = createHmac("sha256", key).update(`${at}.${signed}`).digest("hex");
      const headers = { "x-reprise-timestamp": String(at), "x-reprise-signature": `sha256=${digits}` };
      return demo.ask(`/v1/workflows/${id}/webhook`, {
        method: "POST",
        headers: { ...headers, ...more, "content-type": "application/json" },
        body,
      });
    };
    return { ...demo, send, seconds };
  }

  it("starts a run with the inputs of its body over those of the trigger, and once for the same request", async () => {
    const { send, runtime } = await open();
    const body = JSON.stringify({ branch: "main" });
    const response = await send(body);
    expect(response.status).toBe(202);
    const begun = await response.json();
    expect(await (await send(body)).json()).toEqual(begun);
    const run = await runtime.run(begun.run_id);
    expect(await run.outcome()).toMatchObject({
      status: "done",

      text: '{"branch":"main","target":"eu"}',
    });
    expect(await run.record()).toMatchObject({ origin: "webhook", agent_id: "deploy" });
    expect((await runtime.runs({ origin: "webhook" })).total).toBe(1);
  });

  /** Two processes on one database. */
  async function openTwo() {
    const folder = mkdtempSync(join(tmpdir(), "reprise-webhook-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const openOne = async (seed: number) => {
      const store = await openSqliteStore({ file: join(folder, "threads.db") });
      onTestFinished(() => store.close());
      return open({ env: createFakeEnv({ seed }), wrapStore: () => store });
    };
    const [one, other] = [await openOne(1), await openOne(2)];
    const begun = async (answers: readonly Promise<Response>[]): Promise<readonly string[]> => {
      const said = await Promise.all(
        (await Promise.all(answers)).map(async (answer) => {
          expect(answer.status).toBe(202);
          return (await answer.json()).run_id as string;
        }),
      );
      return [...new Set(said)];
    };
    const total = async () => (await one.runtime.runs({ origin: "webhook" })).total;
    return { one, other, begun, total };
  }

  it("fires once for a request that reaches two processes at the same time", async () => {
    const { one, other, begun, total } = await openTwo();
    for (let at = one.seconds; at < one.seconds + 5; at += 1) {
      const body = JSON.stringify({ branch: `main-${at}` });
      const sent = [one, other, one, other].map(({ send }) => send(body, { at }));
      expect(await begun(sent)).toHaveLength(1);
    }
    expect(await total()).toBe(5);
  });

  it.each(["idempotency-key", "x-reprise-delivery"])(
    "fires once for a delivery that %s names, however often it is signed anew, in any process",
    async (header) => {
      const { one, other, begun, total } = await openTwo();
      const body = JSON.stringify({ branch: "main" });
      const headers = { [header]: "delivery-1" };
      const sent = [one, other, one, other].map(({ send }, index) => send(body, { at: one.seconds + index, headers }));
      const first = await begun(sent);
      expect(first).toHaveLength(1);
      expect(await begun([other.send(body, { at: one.seconds + 60, headers })])).toEqual(first);
      expect(await total()).toBe(1);
      // Another delivery of the same is another run, and so is one without a name.
      await begun([one.send(body, { at: one.seconds + 61, headers: { [header]: "delivery-2" } })]);
      await begun([one.send(body, { at: one.seconds + 62 })]);
      expect(await total()).toBe(3);
    },
  );

  it("is no second run under a name that its sender did not give, and no name stands for two requests", async () => {
    const { send, runtime } = await open();
    const body = JSON.stringify({ branch: "main" });
    const begun = await (await send(body)).json();
    const replayed = await send(body, { headers: { "idempotency-key": "stolen" } });
    expect(await replayed.json()).toEqual(begun);
    expect((await runtime.runs({ origin: "webhook" })).total).toBe(1);
    const other = JSON.stringify({ branch: "other" });
    expect((await send(other, { headers: { "idempotency-key": "stolen" } })).status).toBe(409);
    expect((await send(other, { headers: { "idempotency-key": "a b" } })).status).toBe(400);
    expect((await runtime.runs({ origin: "webhook" })).total).toBe(1);
  });

  it("is refused with another secret, another body, an old or future time, and for any other workflow", async () => {
    const { send, seconds, ask, runtime } = await open();
    const body = JSON.stringify({ branch: "main" });
    const answers = [
      await send(body, { key: "another" }),
      await send(body, { signed: "{}" }),
      await send(body, { at: seconds - 301 }),
      await send(body, { at: seconds + 302 }),
      await send(body, { id: "report" }),
      await send(body, { id: "none" }),
      await ask("/v1/workflows/deploy/webhook", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      }),
    ];
    for (const response of answers) {
      expect([response.status, response.headers.get("x-reprise-error"), await response.json()]).toEqual([
        401,
        "WEBHOOK_REFUSED",
        { error: "The webhook is not signed by the workflow's secret, or is too old." },
      ]);
    }
    expect((await runtime.runs()).total).toBe(0);
  });

  it("is refused when its inputs do not fit or its body is no JSON object", async () => {
    const { send } = await open();
    const missing = await send("{}");
    expect([missing.status, missing.headers.get("x-reprise-error")]).toEqual([400, "WORKFLOW_INPUTS_INVALID"]);
    expect((await send("[1]")).status).toBe(400);
    expect((await send("{")).status).toBe(400);
  });
});
