import { ROUTES, type Route } from "@reprise/server";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type OpenDemo, openDemo, says } from "./support/open-demo.ts";

const ALL: readonly Route[] = Object.values(ROUTES).flat();
const named = ALL.filter(({ path }) => path.includes(":"));
const writing = ALL.filter(({ method }) => method === "POST" || method === "PUT" || method === "PATCH");

const ODD_IDS = [
  "a%2Fb",
  "%2e%2e",
  "%00",
  "%E0%A4%A",
  "__proto__",
  "constructor",
  "x".repeat(300),
  "🦊",
  "%F0%9F",
  "r:1:1",
];

/** The one shape of refusals, and that of JSON-RPC for protocols that are made of it. */
const REFUSALS = [["error"], ["jsonrpc", "id", "error"]];

/** Answers nothing but what the API can answer: never an error of its own, and always in the one shape. */
async function expectSound(response: Response, what: string): Promise<void> {
  expect(response.status, what).toBeLessThan(500);
  if (response.status >= 400) expect(REFUSALS, what).toContainEqual(Object.keys(await response.json()));
  else await response.body?.cancel();
}

async function openWaiting(): Promise<OpenDemo> {
  const demo = await openDemo();
  await (await demo.post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }))).text();
  return demo;
}

it.each(named)("$method $path takes any id for what it is", async (route) => {
  const demo = await openWaiting();
  for (const id of ODD_IDS) {
    const path = route.path.replace(/:\w+/g, id);
    const isWrite = writing.includes(route);
    const response = await demo.ask(path, {
      method: route.method,
      ...(isWrite && { headers: { "content-type": "application/json" }, body: '{"action":"approve"}' }),
    });
    await expectSound(response, path);
  }
});

/** Fields that are known at a path: an unknown one would be refused before anything else is looked at. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "/v1/runs": ["threadId", "runId", "messages", "decisions", "state", "metadata", "policy", "priority", "busyPolicy"],
  "/v1/runs/:id/inputs": ["messages", "decisions"],
  "/v1/decisions/:id": ["action", "arguments", "result", "reason", "suspension", "binding_hash", "run_id"],
  "/v1/threads/:id/fork": ["version", "threadId"],
};

/** Values that nearly fit: of the right names, with the right and the wrong types below. */
const value = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("assistant", "t", "r", "approve", "edit", "resume", "enqueue", "", 1, -1, null),
  },
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(
    fc.record(
      {
        role: fc.constantFrom("user", "assistant", "tool", "system", 7),
        content: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 2 })),
        id: fc.oneof(fc.string(), fc.constant("__proto__")),
        target_id: fc.constantFrom("r-s1-c0", "x", null),
        action: fc.constantFrom("resume", "cancel", "maybe"),
        tool_calls: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
);

function bodyFor(path: string): fc.Arbitrary<object> {
  const fields = fc.dictionary(fc.constantFrom(...(NAMES[path] ?? ["title", "__proto__", "x"])), value, { maxKeys: 5 });
  const isStarting = path.startsWith("/v1/runs") && !path.endsWith("/cancel");
  return isStarting ? fields.map((given) => ({ agentId: "assistant", ...given })) : fields;
}

it.each(writing)("$method $path judges any body", async (route) => {
  const demo = await openWaiting();
  const id = route.path.startsWith("/v1/threads") ? "t" : route.path.startsWith("/v1/runs") ? "r" : "r-s1-c0";
  const path = route.path.replace(":id", id).replace(":entry_id", "r-entry");
  await fc.assert(
    fc.asyncProperty(bodyFor(route.path), async (content) => {
      const response = await demo.ask(path, {
        method: route.method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(content),
      });
      await expectSound(response, JSON.stringify(content));
    }),
    { numRuns: 60 },
  );
});
