import { describe, expect, it } from "vitest";
import { RUNS, uiSays } from "./support/ai-sdk-client.ts";
import { openDemo } from "./support/open-demo.ts";

const NOTHING = "bad request: request must include user input or suspension decisions";
const regenerate = { id: "t", trigger: "regenerate-message" };

describe("AI SDK v6, as its pages list them", () => {
  it.each([
    ["empty id -> 400 (id cannot be empty)", { ...uiSays("x"), id: "" }, "bad request: id cannot be empty"],
    ["empty id -> 400, also one of spaces", { ...uiSays("x"), id: "  " }, "bad request: id cannot be empty"],
    ["no user input and no decisions and not regenerate -> 400", { id: "t", messages: [] }, NOTHING],
    ["no user input and no suspension decisions and not regenerate -> 400", { id: "t" }, NOTHING],
    [
      "regenerate without messageId -> 400",
      regenerate,
      "bad request: messageId is required when trigger=regenerate-message",
    ],
    [
      "regenerate with empty messageId -> 400",
      { ...regenerate, messageId: "" },
      "bad request: messageId cannot be empty",
    ],
    [
      "trigger=regenerate-message without valid messageId -> 400",
      { ...regenerate, messageId: "nobody" },
      "bad request: messageId is not a message of thread t",
    ],
    [
      "legacy payload (sessionId/input) -> 400 (legacy AI SDK payload shape is no longer supported; use id/messages)",
      { sessionId: "s", input: "hello" },
      "bad request: legacy AI SDK payload shape is no longer supported; use id/messages",
    ],
  ])("%s", async (_, body, error) => {
    const { post } = await openDemo();
    const response = await post(RUNS, body);
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });

  it.each([
    ["say something", uiSays("hello")],
    ["regenerate", { ...regenerate, messageId: "u1" }],
    ["decide", { id: "t", messages: [{ role: "assistant", parts: [decision("c")] }] }],
  ])("unknown agent_id -> 404, to %s", async (_, body) => {
    const demo = await openDemo();
    await (await demo.post(RUNS, uiSays("hello"))).text();
    const response = await demo.post("/v1/ai-sdk/agents/nobody/runs", body);
    expect([response.status, await response.json()]).toEqual([404, { error: "agent not found: nobody" }]);
  });

  it("unknown agent_id -> 404, to resume", async () => {
    const { ask } = await openDemo();
    const response = await ask("/v1/ai-sdk/agents/nobody/chats/t/stream");
    expect([response.status, await response.json()]).toEqual([404, { error: "agent not found: nobody" }]);
  });

  it("unknown thread -> 404, of its history", async () => {
    const { ask } = await openDemo();
    const response = await ask("/v1/ai-sdk/threads/none/messages");
    expect([response.status, await response.json()]).toEqual([404, { error: "thread not found: none" }]);
  });

  it("a decision on a thread without a run -> 404", async () => {
    const { post } = await openDemo();
    const response = await post(RUNS, { id: "t", messages: [{ role: "assistant", parts: [decision("c")] }] });
    expect([response.status, await response.json()]).toEqual([404, { error: "thread not found: t" }]);
  });

  it("a file that cannot be read -> 400", async () => {
    const { post } = await openDemo();
    const parts = [{ type: "file", url: "data:image/png;base64,%%%", mediaType: "image/png" }];
    const response = await post(RUNS, { id: "t", messages: [{ id: "u1", role: "user", parts }] });
    const error = "bad request: a file of the message is no data URL that can be read";
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });
});

describe("who may start runs", () => {
  it("may not thereby decide", async () => {
    const demo = await openDemo({
      authenticate: async (headers) => ({
        id: "p",
        scopes: headers.get("authorization") === "both" ? ["run", "decide"] : ["run"],
      }),
    });
    await (await demo.post(RUNS, uiSays("pay 5"))).text();
    const [open] = await demo.runtime.decisions.list();
    const body = { id: "t", messages: [{ role: "assistant", parts: [decision(open?.ticket?.suspension.id ?? "")] }] };
    const refused = await demo.post(RUNS, body);
    expect([refused.status, await refused.json()]).toEqual([403, { error: "forbidden: this needs the scope decide" }]);
    const withWords = { ...body, messages: [...body.messages, { id: "u2", role: "user", content: "go on" }] };
    expect((await demo.post(RUNS, withWords)).status).toBe(403);
    expect((await demo.runtime.decisions.list()).length).toBe(1);
    expect((await demo.post(RUNS, body, { authorization: "both" })).status).toBe(202);
  });
});

function decision(approvalId: string): object {
  return { type: "tool-approval-response", approvalId, approved: true };
}
