import { beforeAll, describe, expect, it } from "vitest";
import { says } from "./open-demo.ts";
import type { GuardedServer } from "./start-guarded.ts";
import { createVictim, type Victim } from "./victim.ts";

/** The ways to another tenant's things beside their own routes. */
export function describeOtherWays(
  serverOf: () => GuardedServer,
  keys: { readonly owner: string; readonly other: string; readonly nobody: string },
): void {
  describe("another tenant's things are not found by other ways either", () => {
    let victim: Victim;
    beforeAll(async () => {
      const server = serverOf();
      victim = await createVictim(server, keys.owner, "w");
      const own = says("hello", { threadId: "t-other", runId: "r-other" });
      await (await server.send(keys.other, "POST", "/v1/runs", own)).text();
    });

    it.each([
      "/v1/costs?run_id=done-w",
      "/v1/costs?thread_id=t-w",
      "/v1/costs?tree_id=done-w",
      "/v1/runs/r-other/compare?with=done-w",
      "/v1/runs/r-other/events?after=done-w:1:1",
    ])("GET %s", async (path) => {
      const response = await serverOf().ask(keys.other, path);
      expect([400, 404]).toContain(response.status);
      expect(Object.keys(await response.json())).toEqual(["error"]);
    });

    it.each([
      "/v1/threads",
      "/v1/threads/summaries",
      "/v1/runs",
      "/v1/runs?thread_id=t-w",
      "/v1/decisions",
      "/v1/decisions?run_id=waiting-w",
      "/v1/dead-letters",
      "/v1/leases",
      "/v1/workflow-runs",
      "/v1/workflow-runs?workflow_id=release",
      "/v1/workflow-runs?workflow_id=release&status=waiting",
    ])("GET %s lists none of them", async (path) => {
      const server = serverOf();
      if (path.startsWith("/v1/workflow-runs"))
        expect(await (await server.ask(keys.owner, path)).text()).toContain('"flow-w"');
      // A tenant nobody has done anything in.
      const response = await server.ask(await server.createKey("empty", "admin"), path);
      expect((await response.json()).items).toEqual([]);
    });

    it("GET /v1/keys lists one's own alone", async () => {
      const listed = async (key: string): Promise<readonly { readonly prefix: string }[]> =>
        (await (await serverOf().ask(key, "/v1/keys")).json()).items;
      expect((await listed(keys.nobody)).every(({ prefix }) => prefix.startsWith("rk.nobody."))).toBe(true);
      expect((await listed(keys.owner)).every(({ prefix }) => prefix.startsWith("rk.owner."))).toBe(true);
    });

    it.each(["chats", "runs"])("GET /v1/ai-sdk/agents/assistant/%s/:chat_id/stream", async (kind) => {
      const server = serverOf();
      const id = `stall-${kind}`;
      const stalled = await server.send(keys.owner, "POST", "/v1/runs", says("stall", { threadId: id, runId: id }));
      const look = async (key: string): Promise<unknown> => {
        const response = await server.ask(key, `/v1/ai-sdk/agents/assistant/${kind}/${id}/stream`);
        await response.body?.cancel();
        return response.status;
      };
      const [own, other] = [await look(keys.owner), await look(keys.other)];
      expect([own, other]).toEqual([200, await look(keys.nobody)]);
      expect(other).not.toBe(200);
      await stalled.body?.cancel();
      expect((await server.send(keys.owner, "POST", `/v1/runs/${id}/cancel`)).status).toBe(202);
    });

    it("a tenant named in a body, a query, a header or another's key counts for nothing", async () => {
      const server = serverOf();
      const empty = await server.createKey("named", "admin");
      const headers = { "x-tenant": "owner", "x-reprise-tenant": "owner" };
      const listed = await server.ask(empty, "/v1/threads?tenant=owner", { headers });
      expect((await listed.json()).total).toBe(0);
      const made = await server.send(empty, "POST", "/v1/keys", { name: "k", scopes: ["admin"], tenant: "owner" });
      expect(made.status).toBe(400);
      const begun = await server.send(empty, "POST", "/v1/runs", says("x", { threadId: "named-t", tenant: "owner" }));
      expect(decodeURIComponent(begun.headers.get("x-reprise-warnings") ?? "")).toContain("tenant");
      await begun.text();
      expect((await server.ask(empty, "/v1/threads/named-t")).status).toBe(200);
      expect((await server.ask(keys.owner, "/v1/threads/named-t")).status).toBe(404);
      // The tenant in a key only says where it lies.
      expect((await server.ask(empty.replace("rk.named.", "rk.owner."), "/v1/threads")).status).toBe(401);
    });

    it("going back before another's run is going back before none", async () => {
      const server = serverOf();
      const before = await victim.look();
      for (const threadId of ["t-other", "t-w"]) {
        const body = says("x", { threadId, restore: { run_id: "done-w" } });
        const response = await server.send(keys.other, "POST", "/v1/runs", body);
        expect([response.status, await response.json()]).toEqual([404, { error: "run not found: done-w" }]);
      }
      expect(await victim.look()).toEqual(before);
    });

    const said = { messageId: "m", role: "ROLE_USER", parts: [{ text: "approve" }] };
    const config = { taskId: "waiting-w", id: "c" };
    it.each([
      ["SendMessage", { message: { ...said, taskId: "waiting-w" } }],
      ["SendStreamingMessage", { message: { ...said, taskId: "waiting-w" } }],
      ["GetTask", { id: "waiting-w" }],
      ["CancelTask", { id: "waiting-w" }],
      ["SubscribeToTask", { id: "waiting-w" }],
      ["CreateTaskPushNotificationConfig", { ...config, url: "https://receiver.test" }],
      ["GetTaskPushNotificationConfig", config],
      ["ListTaskPushNotificationConfigs", config],
      ["DeleteTaskPushNotificationConfig", config],
    ])("the A2A method %s finds no task of theirs", async (method, params) => {
      const server = serverOf();
      const before = await victim.look();
      const call = { jsonrpc: "2.0", id: 1, method, params };
      const ask = async (key: string): Promise<unknown> =>
        (await server.send(key, "POST", "/v1/a2a/agents/assistant/rpc", call)).json();
      expect(await ask(keys.other)).toMatchObject({ error: { code: -32001, message: "task not found: waiting-w" } });
      expect(await ask(keys.nobody)).toEqual(await ask(keys.other));
      expect(await victim.look()).toEqual(before);
    });

    it.each(["GET", "POST"])(
      "%s /v1/a2a/agents/assistant/tasks/waiting-w:subscribe finds no task of theirs",
      async (method) => {
        const server = serverOf();
        const before = await victim.look();
        const path = "/v1/a2a/agents/assistant/tasks/waiting-w:subscribe";
        const ask = async (key: string): Promise<readonly [number, unknown]> => {
          const response = await server.send(key, method, path);
          return [response.status, await response.json()];
        };
        const refused = await ask(keys.other);
        expect(refused).toMatchObject([404, { error: { code: 404, details: [{ reason: "TASK_NOT_FOUND" }] } }]);
        expect(await ask(keys.nobody)).toEqual(refused);
        // Its owner follows it with the same request.
        const own = await server.send(keys.owner, method, path);
        await own.body?.cancel();
        expect([own.status, own.headers.get("content-type")]).toEqual([
          200,
          expect.stringContaining("text/event-stream"),
        ]);
        expect(await victim.look()).toEqual(before);
      },
    );

    it("a workflow run with the id and the thread of another's is a run of one's own", async () => {
      const server = serverOf();
      const before = await victim.look();
      const body = { inputs: { version: "theirs" }, run_id: "flow-w", thread_id: "flow-thread-w" };
      const begun = await server.send(keys.other, "POST", "/v1/workflows/release/runs", body);
      expect([begun.status, await begun.json()]).toMatchObject([202, { run_id: "flow-w", thread_id: "flow-thread-w" }]);
      await (await server.ask(keys.other, "/v1/workflow-runs/flow-w/events")).text();
      const state = await (await server.ask(keys.other, "/v1/workflow-runs/flow-w")).text();
      expect(state).toContain('"theirs"');
      const { items } = await (await server.ask(keys.other, "/v1/workflow-runs")).json();
      expect(items.filter((item: { readonly run_id: string }) => item.run_id === "flow-w")).toHaveLength(1);
      expect((await server.send(keys.other, "POST", "/v1/workflow-runs/flow-w/cancel")).status).toBe(202);
      expect(await victim.look()).toEqual(before);
    });

    it("the A2A method ListTasks lists one's own alone", async () => {
      const call = { jsonrpc: "2.0", id: 1, method: "ListTasks", params: { contextId: "t-w" } };
      const listed = await serverOf().send(keys.other, "POST", "/v1/a2a/agents/assistant/rpc", call);
      expect(await listed.json()).toMatchObject({ result: { tasks: [], totalSize: 0 } });
    });

    it.each([
      ["ag-ui", { threadId: "t-w", runId: "r", resume: [{ interruptId: "waiting-w-s1-c0", status: "resolved" }] }],
      [
        "ai-sdk",
        {
          id: "t-w",
          messages: [
            {
              id: "a",
              role: "assistant",
              parts: [{ type: "tool-approval-response", approvalId: "waiting-w-s1-c0", approved: true }],
            },
          ],
        },
      ],
    ])("a decision by %s about another's question decides nothing", async (protocol, body) => {
      const server = serverOf();
      const before = await victim.look();
      await (await server.send(keys.other, "POST", `/v1/${protocol}/agents/assistant/runs`, body)).text();
      expect(await victim.look()).toEqual(before);
    });

    it("a call by hand on another's thread is one on a thread of one's own", async () => {
      const server = serverOf();
      const before = await victim.look();
      const body = { arguments: { amount: 1 }, threadId: "t-w" };
      const response = await server.send(keys.other, "POST", "/v1/agents/assistant/tools/pay/run", body);
      expect(await response.json()).toMatchObject({ status: "waiting", thread_id: "t-w" });
      expect(await victim.look()).toEqual(before);
      expect((await (await server.ask(keys.other, "/v1/runs?thread_id=t-w")).json()).total).toBe(1);
    });
  });
}
