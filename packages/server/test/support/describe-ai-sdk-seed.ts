import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { RUNS, readChunks, textIn } from "./ai-sdk-client.ts";
import { runCurl } from "./run-curl.ts";

const JSON_TYPE = "-H 'content-type: application/json'";
const URL_RUNS = "http://127.0.0.1:8080/v1/ai-sdk/agents/assistant/runs";

const START = `curl -N ${JSON_TYPE} -d '{"id":"thread-1","runId":"run-1","messages":[{"id":"u1","role":"user","content":"hello"}]}' ${URL_RUNS}`;
const START_WITHOUT_ID = `curl -N ${JSON_TYPE} -d '{"id":"thread-1","messages":[{"role":"user","content":"hello"}],"runId":"run-1"}' ${URL_RUNS}`;
const DECIDE = `curl -X POST ${JSON_TYPE} -d '{"id":"thread-1","runId":"run-1","messages":[{"role":"assistant","parts":[{"type":"tool-approval-response","approvalId":"fc_perm_1","approved":true}]}]}' ${URL_RUNS}`;
const REGENERATE = `curl -X POST ${JSON_TYPE} -d '{"id":"thread-1","trigger":"regenerate-message","messageId":"m_assistant_1"}' ${URL_RUNS}`;
const RESUME = "curl -N http://127.0.0.1:8080/v1/ai-sdk/agents/assistant/chats/thread-1/stream";
const MESSAGES = "curl 'http://127.0.0.1:8080/v1/threads/thread-1/messages?limit=20'";
const LIST_RUNS = "curl 'http://127.0.0.1:8080/v1/runs?thread_id=thread-1&limit=20'";

/** A chat of its own for each test: the lines name one thread and one run. */
function openChat(url: string) {
  const [thread, run] = [randomUUID(), randomUUID()];
  const curl = (line: string): Promise<Response> =>
    runCurl(line.replaceAll("thread-1", thread).replaceAll("run-1", run), url);
  const ask = async (path: string, method = "GET"): Promise<Response> => fetch(url + path, { method });
  return { thread, run, curl, ask };
}

/** What the pages about the AI SDK say, of a server that runs. */
export function describeAiSdkSeed(urlOf: () => string): void {
  describe("the command lines of the AI SDK pages", () => {
    it.each([START, START_WITHOUT_ID])("%s", async (line) => {
      const { curl } = openChat(urlOf());
      const response = await curl(line);
      expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
        200,
        {
          "content-type": "text/event-stream",
          "x-vercel-ai-ui-message-stream": "v1",
          "x-tirea-ai-sdk-version": "v6",
        },
      ]);
      const { chunks, isWhole } = readChunks(await response.text());
      expect([textIn(chunks), isWhole]).toEqual(["You said: hello", true]);
    });

    it(`${MESSAGES} and ${LIST_RUNS}`, async () => {
      const { thread, run, curl } = openChat(urlOf());
      await (await curl(START)).text();
      const { messages } = await (await curl(MESSAGES)).json();
      expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
      expect(await (await curl(LIST_RUNS)).json()).toMatchObject({
        total: 1,
        items: [{ run_id: run, thread_id: thread, origin: "ai_sdk", status: "done" }],
      });
    });

    it(`${DECIDE}, with the id of a question`, async () => {
      const { thread, run, curl, ask } = openChat(urlOf());
      await (await curl(START.replace("hello", "pay 5"))).text();
      const { items } = await (await ask(`/v1/decisions?thread_id=${thread}`)).json();
      const response = await curl(DECIDE.replace("fc_perm_1", items[0].ticket.suspension.id));
      expect([response.status, await response.json()]).toEqual([
        202,
        { status: "decision_forwarded", threadId: thread },
      ]);
      expect(await (await ask(`/v1/runs/${run}/events?follow=true`)).text()).toContain('"response":"Done."');
    });

    it(`${REGENERATE}, with the id of an answer`, async () => {
      const { run, curl } = openChat(urlOf());
      await (await curl(START)).text();
      const response = await curl(REGENERATE.replace("m_assistant_1", `${run}-s1-m`));
      expect(textIn(readChunks(await response.text()).chunks)).toBe("You said: hello");
      expect((await (await curl(MESSAGES)).json()).messages.length).toBe(2);
    });

    it(RESUME, async () => {
      const { run, curl, ask } = openChat(urlOf());
      expect((await curl(RESUME)).status).toBe(204);
      const first = await curl(START.replace("hello", "stall"));
      const second = await curl(RESUME);
      const legacy = await curl(RESUME.replace("/chats/", "/runs/"));
      expect([second.status, second.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
      expect((await ask(`/v1/runs/${run}/cancel`, "POST")).status).toBe(202);
      const [one, two, three] = await Promise.all([first.text(), second.text(), legacy.text()]);
      expect(readChunks(two)).toEqual(readChunks(one));
      expect(readChunks(three)).toEqual(readChunks(one));
    });
  });

  describe("validation failures of the AI SDK pages", () => {
    const regenerate = { id: "t", trigger: "regenerate-message" };
    const said = [{ id: "u1", role: "user", content: "x" }];
    const NOTHING = "request must include user input or suspension decisions";

    it.each([
      ["empty id -> 400 (id cannot be empty)", { id: "", messages: said }, "id cannot be empty"],
      ["no user input and no decisions and not regenerate -> 400", { id: "t", messages: [] }, NOTHING],
      ["regenerate without messageId -> 400", regenerate, "messageId is required when trigger=regenerate-message"],
      ["regenerate with empty messageId -> 400", { ...regenerate, messageId: "" }, "messageId cannot be empty"],
      [
        "legacy payload (sessionId/input) -> 400",
        { sessionId: "s", input: "hello" },
        "legacy AI SDK payload shape is no longer supported; use id/messages",
      ],
    ])("%s", async (_, body, error) => {
      const response = await postJson(urlOf() + RUNS, body);
      expect([response.status, await response.json()]).toEqual([400, { error: `bad request: ${error}` }]);
    });

    it("unknown agent_id -> 404", async () => {
      const response = await postJson(`${urlOf()}/v1/ai-sdk/agents/nobody/runs`, { id: "t", messages: said });
      expect([response.status, await response.json()]).toEqual([404, { error: "agent not found: nobody" }]);
    });
  });
}

function postJson(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
