import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import * as umbrella from "./index.ts";

/**
 * Everything `reprise` exports, values and types. A user meets these names first, so a new one is a decision: most belong to a
 * subpath. At most 70.
 */
const ROOT_NAMES = `
  createRuntime defineAgent definePlugin defineState defineTool hasToolCall isStepCount
  fromAiSdk openaiCompatible scriptedModel
  file memory sqlite
  RepriseError ToolError suspendTool textOf toolEffect usd
  addSessionContext addSystemContext addSystemReminder addUserMessage blockCall changeState emitEffect emitEvent
  excludeTool includeOnlyTools noteContext operatorText overrideInference scheduleAction setToolResult suspendCall
  terminateRun transformRequest holdAnswer replaceText retryInference suspendStep
  Agent AgentDefinition AgentEvent ContentPart DecisionInput ErrorCode Json JsonObject LanguageModel Message
  MessageInput OpenDecision PhaseContext Plugin RunHandle RunOutcome Runtime RuntimeOptions ScriptTurn StartRun
  StateDefinition StopCondition StopPolicy Store TokenUsage Tool ToolContext ToolDefinition ToolResult
`;

it("exports the names of this list from its root, and no others", () => {
  const source = readFileSync(new URL("./index.ts", import.meta.url), "utf8");
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, names = ""]) => names);
  const exported = lists.flatMap((names) => names.split(",").map((name) => name.trim())).filter((name) => name !== "");
  const listed = ROOT_NAMES.split(/\s+/).filter((name) => name !== "");
  expect(exported.toSorted()).toEqual(listed.toSorted());
  expect(listed.length).toBeLessThanOrEqual(70);
  expect(Object.keys(umbrella).filter((name) => !listed.includes(name))).toEqual([]);
});

it("runs an agent with nothing but an agent, and keeps what was said in a SQLite file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-default-"));
  vi.stubEnv("REPRISE_STORAGE_DIR", join(folder, "kept"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const agent = umbrella.defineAgent({ id: "a", model: umbrella.scriptedModel(["Hello.", "Again."]) });
  const first = await umbrella.createRuntime({ agents: [agent] });
  const outcome = await first.runToCompletion({ agent: "a", threadId: "t1", input: "Hi" });
  expect(outcome).toMatchObject({ status: "done", text: "Hello." });
  await first.close();
  expect(readdirSync(join(folder, "kept"))).toContain("reprise.db");
  const second = await umbrella.createRuntime({ agents: [agent] });
  expect((await second.threads.get("t1")).version).toBeGreaterThan(0);
  await second.close();
});

it("leaves a store that was given open", async () => {
  const store = umbrella.memory();
  const runtime = await umbrella.createRuntime({ agents: [], store });
  await runtime.close();
  expect(await store.forTenant("default").listThreads()).toMatchObject({ total: 0 });
});
