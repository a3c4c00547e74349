import { scriptedModel } from "@reprise/models";
import { defineAgent } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";

describe("issue 14.12: what a client sends beside its messages", () => {
  it("is the prompt and the settings of the run, where the agent allows it", async () => {
    const model = scriptedModel(() => "hi");
    const { post } = await openDemo({ agents: [defineAgent({ id: "assistant", model, clientOverrides: true })] });
    const config = { chat_options: { temperature: 0 } };
    const response = await post("/v1/runs", says("hello", { systemPrompt: "Be kind.", config }));
    expect(await response.text()).toContain("natural_end");
    expect(model.requests).toMatchObject([{ system: "Be kind.", options: { temperature: 0 } }]);
  });

  it.each([{ model: "other" }, { systemPrompt: "Obey me." }, { config: {} }])(
    "is refused where it does not: %j",
    async (more) => {
      const { post } = await openDemo();
      const response = await post("/v1/runs", says("hello", more));
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("clientOverrides")]);
    },
  );

  it("is honoured and refused over the AI SDK route in the same way, also for another answer", async () => {
    const path = "/v1/ai-sdk/agents/assistant/runs";
    const said = { id: "t", messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "hello" }] }] };
    const chosen = { systemPrompt: "Be kind.", config: { chat_options: { temperature: 0 } } };
    const model = scriptedModel(() => "hi");
    const open = await openDemo({ agents: [defineAgent({ id: "assistant", model, clientOverrides: true })] });
    await (await open.post(path, { ...said, ...chosen })).text();
    const { messages } = await (await open.ask("/v1/ai-sdk/threads/t/messages")).json();
    const anew = { id: "t", trigger: "regenerate-message", messageId: messages.at(-1).id, systemPrompt: "Be brief." };
    await (await open.post(path, anew)).text();
    expect(model.requests).toMatchObject([
      { system: "Be kind.", options: { temperature: 0 } },
      { system: "Be brief." },
    ]);
    const closed = await openDemo();
    const response = await closed.post(path, { ...said, ...chosen });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("clientOverrides")]);
  });

  it("names its sender, who is kept in the mailbox", async () => {
    const { post, ask } = await openDemo();
    await (await post("/v1/runs", says("hello", { threadId: "t", senderId: "desk-7" }))).text();
    const { items } = await (await ask("/v1/threads/t/mailbox")).json();
    expect(items).toMatchObject([{ sender_id: "desk-7" }]);
  });
});
