import { expect, it } from "vitest";
import { readChunks, textIn } from "./support/ai-sdk-client.ts";
import { listenDemo, openDemo } from "./support/open-demo.ts";
import { runCurl } from "./support/run-curl.ts";

const JSON_TYPE = "-H 'content-type: application/json'";
const URL_RUNS = "http://127.0.0.1:8080/v1/ai-sdk/agents/assistant/runs";

async function open() {
  const demo = await openDemo();
  const { url } = await listenDemo(demo.server);
  return { ...demo, curl: (line: string): Promise<Response> => runCurl(line, url) };
}

const START = `curl -N ${JSON_TYPE} -d '{"id":"thread-1","runId":"run-1","messages":[{"id":"u1","role":"user","content":"hello"}]}' ${URL_RUNS}`;
it(START, async () => {
  const { curl } = await open();
  const response = await curl(START);
  expect([response.status, response.headers.get("x-tirea-ai-sdk-version")]).toEqual([200, "v6"]);
  expect(textIn(readChunks(await response.text()).chunks)).toBe("You said: hello");
});

const DECIDE = `curl -X POST ${JSON_TYPE} -d '{"id":"thread-1","runId":"run-1","messages":[{"role":"assistant","parts":[{"type":"tool-approval-response","approvalId":"fc_perm_1","approved":true}]}]}' ${URL_RUNS}`;
it(`${DECIDE}, with the id of a question`, async () => {
  const { curl, runtime } = await open();
  await (await curl(START.replace("hello", "pay 5"))).text();
  const [question] = await runtime.decisions.list({ threadId: "thread-1" });
  const response = await curl(DECIDE.replace("fc_perm_1", question?.ticket?.suspension.id ?? ""));
  expect([response.status, await response.json()]).toEqual([
    202,
    { status: "decision_forwarded", threadId: "thread-1" },
  ]);
  expect(await (await runtime.run("run-1")).outcome()).toMatchObject({ status: "done", text: "Done." });
});

const REGENERATE = `curl -X POST ${JSON_TYPE} -d '{"id":"thread-1","trigger":"regenerate-message","messageId":"m_assistant_1"}' ${URL_RUNS}`;
it(`${REGENERATE}, with the id of an answer`, async () => {
  const { curl, runtime } = await open();
  await (await curl(START)).text();
  const response = await curl(REGENERATE.replace("m_assistant_1", "run-1-s1-m"));
  expect(textIn(readChunks(await response.text()).chunks)).toBe("You said: hello");
  expect((await runtime.threads.messages("thread-1")).messages.length).toBe(2);
});

const RESUME = "curl -N http://127.0.0.1:8080/v1/ai-sdk/agents/assistant/chats/thread-1/stream";
it(RESUME, async () => {
  const { curl, runtime } = await open();
  expect((await curl(RESUME)).status).toBe(204);
  const first = await curl(START.replace("hello", "stall"));
  const second = await curl(RESUME);
  expect([second.status, second.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  await (await runtime.run("run-1")).cancel();
  const [one, two] = await Promise.all([first.text(), second.text()]);
  expect(readChunks(two)).toEqual(readChunks(one));
});
