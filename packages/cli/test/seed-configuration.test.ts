import { createInstalledPlugins } from "@reprise/plugins";
import { startModelServer } from "@reprise/testkit/model-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { linesOf, runCli } from "./support/run-cli.ts";

const LOCAL = {
  agents: [
    {
      kind: "local",
      id: "assistant",
      name: "Assistant",
      description: "Primary hosted assistant",
      model: "gpt-4o-mini",
      system_prompt: "You are a helpful assistant.",
      max_rounds: 10,
      tool_execution_mode: "parallel_streaming",
      behavior_ids: ["tool_policy", "permission"],
      stop_condition_specs: [{ type: "max_rounds", rounds: 10 }],
    },
  ],
};

const REMOTE = {
  agents: [
    {
      kind: "a2a",
      id: "researcher",
      name: "Researcher",
      description: "Remote research agent",
      endpoint: "https://example.test/v1/a2a",
      remote_agent_id: "remote-researcher",
      poll_interval_ms: 250,
      auth: { kind: "bearer_token", token: "secret" },
    },
  ],
};

async function check(config: object, env: Record<string, string> = {}) {
  const cwd = createTemporaryFolder({ "agentos.json": JSON.stringify(config) });
  const ended = await runCli(["config", "check", "--json"], { cwd, env: { AGENTOS_CONFIG: "agentos.json", ...env } });
  return { ...ended, cwd };
}

describe("issue 14.7: the configurations that people have", () => {
  it("load with a model that names no provider, and with the plugins they name", async () => {
    const ended = await check(LOCAL, { OPENAI_API_KEY: "k" });
    expect(ended).toMatchObject({ code: 0 });
    expect(linesOf(ended)).toMatchObject([{ warnings: [] }]);
  });

  it("load with agents that run elsewhere, whose runs say what is wrong where nothing answers", async () => {
    const ended = await check(REMOTE);
    expect(ended).toMatchObject({ code: 0 });
    expect(linesOf(ended)).toMatchObject([{ agents: ["researcher"], warnings: [] }]);
    const failed = await runCli(["run", "researcher", "hello"], {
      cwd: ended.cwd,
      env: { AGENTOS_CONFIG: "agentos.json" },
    });
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain("Backend a2a failed");
  });

  it("load with every plugin of the installation, and with sections wherever they stand", async () => {
    const ids = createInstalledPlugins().map(({ id }) => id);
    const agent = { id: "a", model: "gpt-4o-mini", behavior_ids: ids, sections: { generative_ui: {} } };
    const config = { agents: [agent], plugins: { deferred_tools: { deferred_tools: {} } } };
    const ended = await check(config, { OPENAI_API_KEY: "k" });
    expect(ended).toMatchObject({ code: 0 });
    expect(linesOf(ended)).toMatchObject([{ warnings: [] }]);
  });

  it("still refuse a plugin that nobody knows", async () => {
    const ended = await check(
      { agents: [{ ...LOCAL.agents[0], behavior_ids: ["permision"] }] },
      { OPENAI_API_KEY: "k" },
    );
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("permision");
  });

  it("run: the provider is asked for the model by its own name", async () => {
    const server = await startModelServer(["Hello."]);
    onTestFinished(() => server.close());
    const cwd = createTemporaryFolder({ "agentos.json": JSON.stringify(LOCAL) });
    const env = { AGENTOS_CONFIG: "agentos.json", OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "k" };
    const ended = await runCli(["run", "assistant", "hello"], { cwd, env });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Hello.") });
    expect(ended.stderr).not.toContain("not installed");
    expect(server.requests[0]?.body).toMatchObject({ model: "gpt-4o-mini" });
  });
});
