import { createRuntime, defineTool } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { soon } from "../../runtime/test/support/wait.ts";
import { defineWorkflow } from "../src/run/define-workflow.ts";
import { workflows } from "../src/run/workflows.ts";

it("the tool of a node is told the thread, the run and the node it works for", async () => {
  const env = createFakeEnv();
  const whoami = defineTool({
    id: "whoami",
    description: "Tells whom it works for.",
    inputSchema: { type: "object" },
    idempotent: true,
    execute: (_input, { identity: { threadId, runId, stepId } }) => ({ threadId, runId, stepId }),
  });
  const runtime = await createRuntime({
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    agents: [
      defineWorkflow({
        schema_version: "1.0",
        workflow: { id: "flow", nodes: [{ id: "ask", type: "tool", tool: "whoami" }] },
      }),
    ],
    programs: [
      workflows({
        sandbox: { evaluate: () => ({ failure: { code: "sandbox_error", message: "None.", retryable: false } }) },
      }),
    ],
    tools: [whoami],
  });
  onTestFinished(() => runtime.close());
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  const outcome = await soon(run.outcome());
  expect(JSON.parse(outcome.status === "done" ? outcome.text : "null")).toEqual({
    threadId: "t",
    runId: run.id,
    stepId: "ask",
  });
});
