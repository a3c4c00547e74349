import { describe, expect, it } from "vitest";
import { openDemo } from "./support/open-demo.ts";
import { until } from "./support/until.ts";

const AGENT = "/v1/a2a/agents/assistant";
const VERSION = { "a2a-version": "1.0" };

async function bodyOf(response: Response): Promise<unknown> {
  return [response.status, await response.json()];
}

/** A message of the specification. */
function message(text: string, more: object = {}): object {
  return { message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }], ...more } };
}

describe("the card of the server", () => {
  it("is cached, and not sent again to a client that has it", async () => {
    const { ask } = await openDemo();
    const response = await ask("/.well-known/agent-card.json");
    const etag = response.headers.get("etag") ?? "";
    expect([response.status, response.headers.get("cache-control"), etag]).toEqual([
      200,
      "public, max-age=30, must-revalidate",
      expect.stringMatching(/^W\/"a2a-agents-/),
    ]);
    for (const known of [etag, "*", `"other", ${etag}`]) {
      expect((await ask("/.well-known/agent-card.json", { headers: { "if-none-match": known } })).status).toBe(304);
    }
    expect((await ask("/.well-known/agent-card.json", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  it("points to the list of agents where there are several, and to the agent where there is one", async () => {
    const several = await (await (await openDemo()).ask("/.well-known/agent-card.json")).json();
    expect(several).toMatchObject({
      url: "http://localhost/v1/a2a/agents",
      capabilities: { taskManagement: true, streaming: true, agentDiscovery: true, agentCount: 2 },
    });
    const { runtime, ask } = await openDemo();
    const [first] = runtime.agents();
    const { demoAgents } = await import("./support/demo-agents.ts");
    const single = await openDemo({ agents: demoAgents().slice(0, 1) });
    expect(await (await single.ask("/.well-known/agent-card.json")).json()).toMatchObject({
      url: `http://localhost/v1/a2a/agents/${first?.id}/message:send`,
      skills: [{ id: "assistant" }],
    });
    expect(await bodyOf(await ask("/v1/a2a/agents"))).toMatchObject([
      200,
      { agents: [{ id: "assistant" }, { id: "echo" }] },
    ]);
  });

  it("names one agent and how to sign in, on a server that asks for a credential", async () => {
    const { ask } = await openDemo({ authenticate: async () => undefined });
    const card = await (await ask("/.well-known/agent-card.json")).json();
    expect(card).toMatchObject({
      securitySchemes: { bearer: {} },
      skills: [{ id: "assistant" }],
      url: "http://localhost/v1/a2a/agents",
      supportedInterfaces: [{ url: "http://localhost/v1/a2a/agents/assistant" }, {}],
    });
    expect(card.capabilities.agentCount).toBeUndefined();
    expect(JSON.stringify(card)).not.toContain("echo");
  });

  it("leads a client with a credential to every agent and its card, on a server that asks for one", async () => {
    const { ask } = await openDemo({ authenticate: async () => ({ id: "someone", scopes: ["read"] }) });
    const { url } = await (await ask("/.well-known/agent-card.json")).json();
    const { agents, total } = await (await ask(new URL(url).pathname)).json();
    expect([total, agents.map(({ id }: { id: string }) => id)]).toEqual([2, ["assistant", "echo"]]);
    for (const { id, agentCardUrl } of agents) {
      const card = await (await ask(new URL(agentCardUrl).pathname)).json();
      expect(card).toMatchObject({ url: `http://localhost/v1/a2a/agents/${id}/message:send`, skills: [{ id }] });
    }
  });
});

describe("the flat shape", () => {
  it("submits a task, reads it, and continues its thread", async () => {
    const { ask, post, runtime } = await openDemo();
    const sent = await post(`${AGENT}/message:send`, { input: "hello from a2a" });
    const { contextId, taskId, status } = await sent.json();
    expect([sent.status, status]).toEqual([202, "submitted"]);
    await (await runtime.run(taskId)).outcome();
    expect(await bodyOf(await ask(`${AGENT}/tasks/${taskId}`))).toEqual([
      200,
      {
        taskId,
        contextId,
        status: "done",
        origin: "a2a",
        terminationCode: "natural",
        terminationDetail: null,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
        message: { role: "assistant", content: "You said: hello from a2a" },
        artifacts: [{ content: "You said: hello from a2a" }],
        history: [
          { role: "user", content: "hello from a2a" },
          { role: "assistant", content: "You said: hello from a2a" },
        ],
      },
    ]);
    const next = await (
      await post(`${AGENT}/message:send`, { task_id: taskId, message: { content: "continue" } })
    ).json();
    expect(next).toEqual({ contextId, taskId: expect.not.stringMatching(taskId), status: "submitted" });
  });

  it("forwards decisions to the task they name", async () => {
    const { post, runtime } = await openDemo();
    const { taskId, contextId } = await (await post(`${AGENT}/message:send`, { input: "pay 5" })).json();
    await (await runtime.run(taskId)).outcome();
    const [open] = await runtime.decisions.list({ runId: taskId });
    const decisions = [
      { target_id: open?.id, decision_id: "d1", action: "resume", result: { approved: true }, updated_at: 1 },
    ];
    expect(await bodyOf(await post(`${AGENT}/message:send`, { taskId, decisions }))).toEqual([
      202,
      { contextId, taskId, status: "decision_forwarded" },
    ]);
    expect(await (await runtime.run(taskId)).outcome()).toMatchObject({ status: "done", text: "Done." });
  });

  it("cancels a task, and refuses to cancel it twice", async () => {
    const { post, runtime } = await openDemo();
    const { taskId } = await (await post(`${AGENT}/message:send`, { input: "stall" })).json();
    expect(await bodyOf(await post(`${AGENT}/tasks/${taskId}:cancel`))).toEqual([
      202,
      { taskId, status: "cancel_requested" },
    ]);
    await (await runtime.run(taskId)).outcome();
    expect(await bodyOf(await post(`${AGENT}/tasks/${taskId}:cancel`))).toEqual([
      400,
      { error: "bad request: task is not active" },
    ]);
  });

  it.each([
    [
      "another action",
      `${AGENT}/message:other`,
      { input: "x" },
      400,
      "unsupported A2A action; expected 'message:send'",
    ],
    ["an empty body", `${AGENT}/message:send`, {}, 400, "request must include input"],
    [
      "decisions without a task",
      `${AGENT}/message:send`,
      { decisions: [{ target_id: "c", action: "resume" }] },
      400,
      "taskId is required",
    ],
    ["a task that is not there", `${AGENT}/message:send`, { taskId: "none", input: "x" }, 404, "task not found: none"],
    ["an agent that is not there", "/v1/a2a/agents/none/message:send", { input: "x" }, 404, "agent not found: none"],
    ["a cancel without its suffix", `${AGENT}/tasks/t`, {}, 400, "must end with ':cancel'"],
    ["a cancel of no task", `${AGENT}/tasks/none:cancel`, {}, 404, "task not found: none"],
  ])("refuses %s", async (_, path, body, status, words) => {
    const { post } = await openDemo();
    expect(await bodyOf(await post(path, body))).toEqual([status, { error: expect.stringContaining(words) }]);
  });

  it.each([
    ["an agent that is not there", "/v1/a2a/agents/none/agent-card", 404, "agent not found: none"],
    ["the task of an agent that is not there", "/v1/a2a/agents/none/tasks/t", 404, "agent not found: none"],
    ["a task that is not there", `${AGENT}/tasks/none`, 404, "task not found: none"],
    ["a cancel that is no POST", `${AGENT}/tasks/t:cancel`, 405, "cancel needs POST"],
  ])("refuses to show %s", async (_, path, status, words) => {
    const { ask } = await openDemo();
    expect(await bodyOf(await ask(path))).toEqual([status, { error: expect.stringContaining(words) }]);
  });

  it("refuses decisions for a task that is over, and stores none of them", async () => {
    const { post, runtime } = await openDemo();
    const { taskId } = await (await post(`${AGENT}/message:send`, { input: "hello" })).json();
    await (await runtime.run(taskId)).outcome();
    const decisions = [{ target_id: "c", decision_id: "d1", action: "resume", updated_at: 1 }];
    expect(await bodyOf(await post(`${AGENT}/message:send`, { taskId, decisions }))).toEqual([
      400,
      { error: "bad request: task is not active" },
    ]);
  });

  it.each([{ contextId: "c" }, { context_id: "c" }])(
    "accepts a request that names its context alone: %j",
    async (body) => {
      const { post } = await openDemo();
      expect(await bodyOf(await post(`${AGENT}/message:send`, body))).toMatchObject([202, { contextId: "c" }]);
    },
  );

  it("shows a task that is queued to the address of its agent alone", async () => {
    const { ask, post } = await openDemo();
    const { contextId } = await (await post(`${AGENT}/message:send`, { input: "stall" })).json();
    const { taskId } = await (await post(`${AGENT}/message:send`, { contextId, input: "hello" })).json();
    expect(await (await ask(`${AGENT}/tasks/${taskId}`)).json()).toMatchObject({ taskId, status: "queued" });
    expect((await ask(`/v1/a2a/agents/echo/tasks/${taskId}`)).status).toBe(404);
  });

  it("does not find the task of another agent", async () => {
    const { ask, post } = await openDemo();
    const { taskId } = await (await post(`${AGENT}/message:send`, { input: "hello" })).json();
    expect((await ask(`/v1/a2a/agents/echo/tasks/${taskId}`)).status).toBe(404);
    expect((await ask(`${AGENT}/tasks/none`)).status).toBe(404);
    expect((await ask(`/v1/a2a/agents/none/tasks/${taskId}`)).status).toBe(404);
  });
});

describe("the specification", () => {
  it("is spoken to a client that names its version or sends parts, and in its media type to one that asks for it", async () => {
    const { post } = await openDemo();
    const plain = await post(`${AGENT}/message:send`, message("hello"));
    expect([plain.status, plain.headers.get("content-type")]).toEqual([200, "application/json"]);
    const typed = await post(`${AGENT}/message:send`, message("hello"), { ...VERSION, accept: "application/a2a+json" });
    expect(typed.headers.get("content-type")).toBe("application/a2a+json");
    expect(await typed.json()).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
  });

  it("refuses a version that it does not know", async () => {
    const { post } = await openDemo();
    const refused = await post(`${AGENT}/message:send`, message("hello"), { "a2a-version": "0.3" });
    expect(await bodyOf(refused)).toMatchObject([
      400,
      { error: { code: 400, details: [{ reason: "VERSION_NOT_SUPPORTED", domain: "a2a-protocol.org" }] } },
    ]);
  });

  it("is spoken, or refused, by the version that the query names", async () => {
    const { post } = await openDemo();
    // Flat, but for its version.
    const flat = { input: "hello" };
    expect((await post(`${AGENT}/message:send`, flat)).status).toBe(202);
    const known = await post(`${AGENT}/message:send?A2A-Version=1.0`, flat);
    expect(await bodyOf(known)).toMatchObject([400, { error: { status: "INVALID_ARGUMENT" } }]);
    const sent = await post(`${AGENT}/message:send?A2A-Version=1.0`, message("hello"));
    expect(await bodyOf(sent)).toMatchObject([200, { task: { status: { state: "TASK_STATE_COMPLETED" } } }]);
    const refused = await post(`${AGENT}/message:send?A2A-Version=0.3`, message("hello"));
    expect(await bodyOf(refused)).toMatchObject([400, { error: { details: [{ reason: "VERSION_NOT_SUPPORTED" }] } }]);
    // A header is nearer than the query.
    const both = await post(`${AGENT}/message:send?A2A-Version=0.3`, message("hello"), VERSION);
    expect(both.status).toBe(200);
  });

  it("streams a task to a subscription by GET and by POST, from how it stands to its end", async () => {
    const { ask, post, runtime } = await openDemo();
    const { task } = await (await post(`${AGENT}/message:send`, message("pay 5"), VERSION)).json();
    const path = `${AGENT}/tasks/${task.id}:subscribe`;
    const streams = [await ask(path, { headers: VERSION }), await post(path, undefined, VERSION)];
    const [open] = await runtime.decisions.list({ runId: task.id });
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    for (const stream of streams) {
      expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
      const items = (await stream.text())
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .map((line) => JSON.parse(line.slice("data: ".length)));
      expect(items[0]).toMatchObject({ task: { id: task.id, status: { state: "TASK_STATE_INPUT_REQUIRED" } } });
      expect(items.at(-1)).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
    }
    const over = await ask(path, { headers: VERSION });
    expect(await bodyOf(over)).toMatchObject([400, { error: { details: [{ reason: "UNSUPPORTED_OPERATION" }] } }]);
  });

  it("says by JSON-RPC what a task, the server and the version do not allow", async () => {
    const { post } = await openDemo();
    const rpc = async (method: string, params: object, query = "") => {
      const response = await post(`${AGENT}/rpc${query}`, { jsonrpc: "2.0", id: 7, method, params });
      return bodyOf(response);
    };
    const { task } = await (await post(`${AGENT}/message:send`, message("hello"), VERSION)).json();
    const { id } = task;
    const refused = (code: number, reason: string) => [
      200,
      { jsonrpc: "2.0", id: 7, error: { code, data: [{ reason, domain: "a2a-protocol.org" }] } },
    ];
    expect(await rpc("CancelTask", { id })).toMatchObject(refused(-32002, "TASK_NOT_CANCELABLE"));
    const config = { taskId: id, url: "https://receiver.test" };
    expect(await rpc("CreateTaskPushNotificationConfig", config)).toMatchObject(
      refused(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    );
    expect(await rpc("SubscribeToTask", { id })).toMatchObject(refused(-32004, "UNSUPPORTED_OPERATION"));
    expect(await rpc("SendMessage", message("more", { taskId: id }))).toMatchObject(
      refused(-32004, "UNSUPPORTED_OPERATION"),
    );
    // The version is refused before the call is read, so the answer has no id.
    const [status, body] = (await rpc("GetTask", { id }, "?A2A-Version=0.3")) as [number, object];
    expect([status, body]).toMatchObject([200, { id: null, error: { code: -32009 } }]);
  });

  it.each([
    ["no parts", message("x", { parts: [] }), "at least one part"],
    ["a part without content", message("x", { parts: [{ filename: "f" }] }), "one of text, raw, url and data"],
    ["a part with two contents", message("x", { parts: [{ text: "t", url: "u" }] }), "got text and url"],
    ["no message id", message("x", { messageId: "" }), "messageId"],
    ["another role", message("x", { role: "user" }), "ROLE_USER"],
    ["no message", {}, "message"],
  ])("refuses a message with %s", async (_, body, words) => {
    const { post } = await openDemo();
    const response = await post(`${AGENT}/message:send`, body, VERSION);
    expect(await bodyOf(response)).toMatchObject([400, { error: { status: "INVALID_ARGUMENT" } }]);
    expect(JSON.stringify(await (await post(`${AGENT}/message:send`, body, VERSION)).json())).toContain(words);
  });

  it("answers at once when it is asked to, and shows as much of the history as is wanted", async () => {
    const { ask, post, runtime } = await openDemo();
    const body = { ...message("stall"), configuration: { returnImmediately: true } };
    const { task } = await (await post(`${AGENT}/message:send`, body, VERSION)).json();
    expect(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"]).toContain(task.status.state);
    await (await runtime.run(task.id)).cancel();
    const done = await (await post(`${AGENT}/message:send`, message("hello"), VERSION)).json();
    const path = `${AGENT}/tasks/${done.task.id}`;
    for (const [length, count] of [
      ["0", 0],
      ["1", 1],
      ["9", 2],
    ] as const) {
      const shown = await (await ask(`${path}?historyLength=${length}`, { headers: VERSION })).json();
      expect((shown.history ?? []).length).toBe(count);
    }
  });

  it("keeps files that come with a message, and passes structured data on as its text", async () => {
    const { post, runtime } = await openDemo();
    const parts = [
      { text: "look" },
      { raw: Buffer.from("bytes").toString("base64"), mediaType: "text/plain", filename: "a.txt" },
      { data: { order: 7 } },
    ];
    const { task } = await (await post(`${AGENT}/message:send`, message("", { parts }), VERSION)).json();
    const { messages } = await runtime.threads.messages(task.contextId);
    expect(messages[0]?.content).toEqual([
      { type: "text", text: "look" },
      { type: "file", url: expect.stringMatching(/^blob:/), media_type: "text/plain", filename: "a.txt" },
      { type: "text", text: '{"order":7}' },
    ]);
  });

  it("takes a message into a task at work at its next step", async () => {
    const { post, runtime } = await openDemo();
    const body = { ...message("stall"), configuration: { returnImmediately: true } };
    const { task } = await (await post(`${AGENT}/message:send`, body, VERSION)).json();
    const steering = { ...message("stop", { taskId: task.id }), configuration: { returnImmediately: true } };
    expect((await post(`${AGENT}/message:send`, steering, VERSION)).status).toBe(200);
    const foreign = message("stop", { taskId: task.id, contextId: "other" });
    expect(await bodyOf(await post(`${AGENT}/message:send`, foreign, VERSION))).toMatchObject([400, { error: {} }]);
    await (await runtime.run(task.id)).cancel();
  });

  it("lists tasks by state and page, and counts them", async () => {
    const { ask, post } = await openDemo();
    for (const text of ["one", "two", "three", "fail", "pay 5"]) {
      await post(`${AGENT}/message:send`, message(text), VERSION);
    }
    const list = async (query: string) => (await ask(`${AGENT}/tasks?${query}`, { headers: VERSION })).json();
    const counts = await Promise.all(
      [
        "",
        "status=TASK_STATE_COMPLETED",
        "status=TASK_STATE_FAILED",
        "status=TASK_STATE_INPUT_REQUIRED",
        "status=TASK_STATE_REJECTED",
      ].map(async (query) => {
        const { tasks, totalSize } = await list(query);
        return [tasks.length, totalSize];
      }),
    );
    expect(counts).toEqual([
      [5, 5],
      [3, 3],
      [1, 1],
      [1, 1],
      [0, 0],
    ]);
    const first = await list("status=TASK_STATE_COMPLETED&pageSize=2");
    const second = await list(`status=TASK_STATE_COMPLETED&pageSize=2&pageToken=${first.nextPageToken}`);
    expect([first.tasks.length, second.tasks.length, second.nextPageToken]).toEqual([2, 1, ""]);
    expect((await ask(`${AGENT}/tasks?pageToken=x`, { headers: VERSION })).status).toBe(400);
    expect((await ask(`${AGENT}/tasks?status=done`, { headers: VERSION })).status).toBe(400);
  });

  it.each([
    ["text that is no JSON", "{", -32700],
    ["something else than a call", "{}", -32600],
    ["a method that is not there", '{"jsonrpc":"2.0","id":1,"method":"Nothing"}', -32601],
    ["parameters of the wrong shape", '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}', -32602],
    ["a task that is not there", '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}', -32001],
  ])("answers %s with its code of JSON-RPC", async (_, body, code) => {
    const { ask } = await openDemo();
    const headers = { "content-type": "application/json" };
    for (const path of [`${AGENT}/rpc`, `${AGENT}/rpc/`]) {
      const response = await ask(path, { method: "POST", headers, body });
      expect(await bodyOf(response)).toMatchObject([200, { jsonrpc: "2.0", error: { code } }]);
    }
  });

  it("needs the scope of each method", async () => {
    const { post } = await openDemo({ authenticate: async () => ({ id: "p", scopes: ["read"] }) });
    const call = (method: string, params: object) => post(`${AGENT}/rpc`, { jsonrpc: "2.0", id: 1, method, params });
    expect((await call("SendMessage", message("hello"))).status).toBe(403);
    expect((await call("GetTask", { id: "none" })).status).toBe(200);
    expect((await post(`${AGENT}/tasks/none:cancel`, {}, VERSION)).status).toBe(403);
  });
});

describe("a decision", () => {
  it("needs the scope decide", async () => {
    let scopes: readonly ("read" | "run" | "decide")[] = ["run", "read"];
    const { post } = await openDemo({ authenticate: async () => ({ id: "p", scopes }) });
    const { task } = await (await post(`${AGENT}/message:send`, message("pay 5"), VERSION)).json();
    const approve = message("approve", { taskId: task.id });
    expect((await post(`${AGENT}/message:send`, approve, VERSION)).status).toBe(403);
    scopes = ["run", "read", "decide"];
    const { task: done } = await (await post(`${AGENT}/message:send`, approve, VERSION)).json();
    expect(done.status.state).toBe("TASK_STATE_COMPLETED");
  });

  it("may name its question and change the arguments", async () => {
    const { post, runtime } = await openDemo();
    const { task } = await (await post(`${AGENT}/message:send`, message("pay 5"), VERSION)).json();
    const { question } = task.status.message.parts[1].data;
    const decision = { target_id: question.target_id, action: "resume", arguments: { amount: 1 } };
    const answer = message("", { taskId: task.id, parts: [{ data: { decision } }] });
    await post(`${AGENT}/message:send`, answer, VERSION);
    await until(async () => (await (await runtime.run(task.id)).record()).status === "done", "the end of the run");
    const { items } = await runtime.calls({ runId: task.id });
    expect(items[0]?.arguments).toEqual({ amount: 1 });
  });
});
