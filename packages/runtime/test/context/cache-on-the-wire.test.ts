import { environmentProviders } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { startModelServer } from "@reprise/testkit/model-server";
import { expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";

/** The texts that stand before the marks of a request, in its order. */
function markedIn(body: unknown): readonly string[] {
  const found = [...JSON.stringify(body).matchAll(/"(?:text|content|name)":"([^"]*)"|"cache_control"/g)];
  return found.flatMap(([whole], index) => (whole === '"cache_control"' ? [found[index - 1]?.[1] ?? ""] : []));
}

it("what one request marks last, the next one marks too, so that Anthropic finds it", async () => {
  const server = await startModelServer([[{ call: "look_up" }], "It is sunny.", "You are welcome."]);
  onTestFinished(() => server.close());
  const variables = { ANTHROPIC_BASE_URL: `${server.url}/v1`, ANTHROPIC_API_KEY: "none" };
  const runtime = await createRuntime({
    ...createWorld(),
    providers: environmentProviders(variables),
    agents: [
      defineAgent({
        id: "agent",
        model: "anthropic/claude-sonnet-4-5",
        instructions: "Be kind.",
        tools: [defineTool({ id: "look_up", description: "Looks it up.", execute: () => "sunny" })],
        contextPolicy: {},
      }),
    ],
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "The weather?" });
  await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "Thanks." });
  const marks = server.requests.map(({ body }) => markedIn(body));
  expect(marks).toEqual([
    ["Be kind.", "The weather?"],
    ["Be kind.", "The weather?", "sunny"],
    ["Be kind.", "sunny", "Thanks."],
  ]);
});
