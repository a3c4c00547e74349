import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const { exports }: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

/** Subpaths that pass on what a package of the workspace has for users; beside each, what it keeps for the workspace. */
const PASSED_ON: readonly (readonly [subpath: string, from: string, ...kept: string[]])[] = [
  ["./server", "@reprise/server", "ROUTES"],
  ["./server/node", "@reprise/server/node"],
  ["./server/config", "@reprise/server/config"],
  ["./a2a", "@reprise/protocols/a2a"],
  ["./ag-ui", "@reprise/protocols/ag-ui"],
  ["./acp", "@reprise/protocols/acp"],
  ["./ai-sdk", "@reprise/protocols/ai-sdk"],
  ["./backends/acp", "@reprise/backends/acp"],
  ["./server/acp", "@reprise/server/acp"],
  ["./server/nats", "@reprise/server/nats"],
  ["./backends/a2a", "@reprise/backends/a2a"],
  ["./plugins", "@reprise/plugins"],
  ["./plugins/generative-ui", "@reprise/plugins/generative-ui"],
  ["./plugins/agent-recovery", "@reprise/plugins/agent-recovery"],
  ["./plugins/agent-tools", "@reprise/plugins/agent-tools"],
  ["./plugins/background-tasks", "@reprise/plugins/background-tasks"],
  ["./plugins/context", "@reprise/plugins/context"],
  ["./evals/vitest", "@reprise/evals/vitest"],
  ["./facts", "@reprise/protocols/facts"],
  ["./mcp", "@reprise/protocols/mcp"],
  ["./plugins/facts", "@reprise/plugins/facts"],
  ["./plugins/guardrails", "@reprise/plugins/guardrails"],
  ["./plugins/handoff", "@reprise/plugins/handoff"],
  ["./plugins/hooks", "@reprise/plugins/hooks"],
  ["./plugins/deferred-tools", "@reprise/plugins/deferred-tools"],
  ["./plugins/mcp", "@reprise/plugins/mcp"],
  ["./plugins/memory", "@reprise/plugins/memory"],
  ["./plugins/observability", "@reprise/plugins/observability"],
  ["./plugins/permission", "@reprise/plugins/permission"],
  ["./plugins/reminder", "@reprise/plugins/reminder"],
  ["./plugins/skills", "@reprise/plugins/skills"],
  ["./plugins/tool-policy", "@reprise/plugins/tool-policy"],
  ["./postgres", "@reprise/stores/postgres", "openPostgresStore"],
  ["./nats-live", "@reprise/stores/nats-live"],
  ["./s3", "@reprise/stores/s3"],
  ["./nats-buffered", "@reprise/stores/nats-buffered", "openNatsBufferedStore"],
];

it("lists what can be imported from the package", () => {
  expect(Object.keys(exports).toSorted()).toEqual(
    [
      ".",
      "./advanced",
      "./compose",
      "./evals",
      "./state",
      "./store-kit",
      "./store-kit/laws",
      "./testing",
      "./workflow",
      ...PASSED_ON.map(([path]) => path),
    ].sort(),
  );
});

it.each(PASSED_ON)("%s passes on what %s has for users", async (subpath, name, ...kept) => {
  const own = Object.keys(await import(name)).filter((each) => !kept.includes(each));
  expect(Object.keys(await import(`reprise${subpath.slice(1)}`)).toSorted()).toEqual(own.toSorted());
});

it.each(Object.keys(exports))("%s names each thing once, and the same thing as the root", async (subpath) => {
  const root = await import("reprise");
  const names: Readonly<Record<string, unknown>> = await import(`reprise${subpath.slice(1)}`);
  expect(Object.keys(names)).not.toEqual([]);
  for (const [name, value] of Object.entries(root)) if (name in names) expect(names[name]).toBe(value);
});
