import type { MessageInput, TokenCounter } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { soon } from "../support/wait.ts";

const MESSAGES = 5_000;

it("counts what a turn brings, not what the thread holds", async () => {
  const counted: string[] = [];
  const tokenCounter: TokenCounter = {
    load: async () => (text) => {
      counted.push(text);
      return text.length;
    },
  };
  const model = scriptedModel((_, turn) => `answer ${turn}`);
  const agent = defineAgent({ id: "agent", model, instructions: "Be.", contextPolicy: { maxContextTokens: 1e6 } });
  const runtime = await createRuntime({ ...createWorld(), agents: [agent], tokenCounter });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const messages = Array.from(
    { length: MESSAGES },
    (_, index): MessageInput => ({ role: "user", content: `m${index}` }),
  );
  const first = await runtime.submit({ agent_id: "agent", thread_id: "t1", messages });
  await soon(first.outcome());
  expect(counted).toHaveLength(MESSAGES + 1);
  counted.length = 0;
  await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "again" }));
  expect(model.requests.at(-1)?.messages).toHaveLength(MESSAGES + 2);
  expect(counted).toEqual(["answer 1", "again"]);
});
