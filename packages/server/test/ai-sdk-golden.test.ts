import { join } from "node:path";
import { expect, it } from "vitest";
import { RUNS, readChunks, uiAnswers, uiSays } from "./support/ai-sdk-client.ts";
import { openFrozenDemo } from "./support/open-demo.ts";

/** Hashes of definitions follow from much that is not looked at here. */
const HASH = /[0-9a-f]{64}/g;

/** Compares an answer, its status and the headers clients look at, with what it was when it was last looked at. */
async function expectGolden(name: string, response: Response): Promise<string> {
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const body = type === "application/json" ? JSON.stringify(JSON.parse(text), null, 2) : text;
  const shown = ["x-vercel-ai-ui-message-stream", "x-tirea-ai-sdk-version"].flatMap((header) => {
    const value = response.headers.get(header);
    return value === null ? [] : [`${header}: ${value}\n`];
  });
  const file = join(import.meta.dirname, "golden", `ai-sdk-${name}.txt`);
  const whole = `${response.status} ${type}\n${shown.join("")}${body}\n`;
  await expect(whole.replace(HASH, "<hash>")).toMatchFileSnapshot(file);
  return text;
}

it("streams a message", async () => {
  const { post } = await openFrozenDemo();
  await expectGolden("message", await post(RUNS, { ...uiSays("hello"), runId: "r1" }));
});

it("streams a message until it asks, and continues with it", async () => {
  const { post, ask } = await openFrozenDemo();
  const asked = await expectGolden("question", await post(RUNS, { ...uiSays("pay 5"), runId: "r1" }));
  await expectGolden("history", await ask("/v1/ai-sdk/threads/t/messages"));
  await expectGolden("answered", await post(RUNS, uiAnswers(readChunks(asked).chunks, true)));
});

it("passes a decision on", async () => {
  const { post, runtime } = await openFrozenDemo();
  await (await post(RUNS, { ...uiSays("pay 5"), runId: "r1" })).text();
  const [open] = await runtime.decisions.list();
  const part = { type: "tool-approval-response", approvalId: open?.ticket?.suspension.id, approved: true };
  await expectGolden("decision", await post(RUNS, { id: "t", messages: [{ role: "assistant", parts: [part] }] }));
});

it("answers anew", async () => {
  const { post } = await openFrozenDemo();
  await (await post(RUNS, { ...uiSays("hello"), runId: "r1" })).text();
  const again = { id: "t", runId: "r2", trigger: "regenerate-message", messageId: "r1-s1-m" };
  await expectGolden("regenerated", await post(RUNS, again));
});

it("has nothing for who comes back to an idle chat", async () => {
  const { ask } = await openFrozenDemo();
  await expectGolden("idle", await ask("/v1/ai-sdk/agents/assistant/chats/t/stream"));
});
