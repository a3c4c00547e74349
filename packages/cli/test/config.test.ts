import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { linesOf, runCli } from "./support/run-cli.ts";
import { runHere } from "./support/run-here.ts";

const BROKEN = {
  agents: [
    { id: "one", model: "nobody/knows" },
    { id: "one", model: "gpt", max_rounds: -1 },
    { id: "", modle: "x" },
  ],
  models: { gpt: { provider: "missing", model: "gpt" } },
  providers: {
    mine: { adapter_kind: "smoke-signals" },
    keyed: { adapter_kind: "openai", auth: { kind: "env", name: "NO_SUCH_KEY" } },
  },
  server: { adress: "127.0.0.1:80" },
};

it("lists everything that is wrong with a configuration, and leaves with 2", async () => {
  const folder = createTemporaryFolder({ "broken.json": JSON.stringify(BROKEN) });
  const { code, stderr } = await runHere("config", "check", "--config", join(folder, "broken.json"), "--json");
  expect(code).toBe(2);
  const { problems }: { problems: readonly { path: string }[] } = JSON.parse(stderr).error;
  // What is badly written, and what is well written and not there.
  const places = ["agents[1].max_rounds", "agents[1].id", "agents[2].id", "agents[2].modle", "server.adress"];
  const missing = ["agents[0].model", "models.gpt.provider", "providers.mine", "providers.keyed.auth.name"];
  expect(problems.map(({ path }) => path)).toEqual(expect.arrayContaining([...places, ...missing]));
  expect(stderr).toContain("NO_SUCH_KEY");
});

it("serves nothing when the configuration is wrong, and says each problem on a line", async () => {
  const cwd = createTemporaryFolder({ "broken.json": JSON.stringify(BROKEN) });
  const { code, stdout, stderr } = await runCli(["serve"], { cwd, env: { REPRISE_CONFIG: "broken.json" } });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^error: \d+ things are wrong with the configuration:\n( {2}\S.*\n){5,}$/);
});

it("takes a flag before the environment, that before .env, the configuration and the default", async () => {
  const cwd = createTemporaryFolder({
    ".env": "AGENTOS_STORAGE_DIR=from-env-file\nAGENTOS_HTTP_ADDR=127.0.0.1:1111\nREPRISE_LOG=error\n",
    "app.json": JSON.stringify({ agents: [], server: { address: "127.0.0.1:2222", allowed_hosts: ["a.example"] } }),
  });
  const env = { AGENTOS_STORAGE_DIR: "from-environment", AGENTOS_CONFIG: "app.json" };
  const ended = await runCli(["config", "show", "--json", "--log", "info"], { cwd, env });
  const [shown] = linesOf(ended);
  expect(shown).toMatchObject({
    file: join(cwd, "app.json"),
    settings: {
      storageDir: { value: "from-environment", source: "environment" },
      httpAddr: { value: "127.0.0.1:1111", source: ".env" },
      log: { value: "info", source: "flag" },
      tenant: { value: "default", source: "default" },
    },
    config: { server: { address: "127.0.0.1:2222" } },
  });
});

it("adds the plugin that compacts to an agent whose policy has a threshold, and warns of no setting without effect", async () => {
  const config = (context_policy: object): string =>
    JSON.stringify({
      agents: [{ id: "a", model: "m", context_policy }],
      models: { m: { provider: "s", model: "assistant" } },
      providers: { s: { adapter_kind: "scripted" } },
    });
  const cwd = createTemporaryFolder({
    "threshold.json": config({ autocompact_threshold: 1_000 }),
    "mode.json": config({ compaction_mode: "compact_to_safe_frontier" }),
  });
  const run = (file: string) => runCli(["run", "a", "hello", "--config", file], { cwd });
  const [threshold, mode] = await Promise.all([run("threshold.json"), run("mode.json")]);
  expect(threshold.code).toBe(0);
  expect(threshold.stderr).not.toContain("has no effect");
  expect(mode.stderr).toContain('`context_policy.compaction_mode` of agent \\"a\\" has no effect');
});

it("shows a configuration without its secrets", async () => {
  const folder = createTemporaryFolder({
    "app.json": JSON.stringify({
      agents: [],
      providers: {
        mine: {
          adapter_kind: "openai-compatible",
          endpoint: "http://127.0.0.1:9/v1",
          auth: { kind: "token", value: "sk-planted" },
        },
      },
    }),
  });
  const shown = await runHere(
    "config",
    "show",
    "--config",
    join(folder, "app.json"),
    "--database-url",
    "postgres://me:hunter2@db/x",
  );
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain("mine");
  expect(shown.stdout).not.toMatch(/sk-planted|hunter2/);
});

it("prints the schema by its command and by the flag of old", async () => {
  const command = await runHere("config", "schema");
  expect(command.code).toBe(0);
  expect(await runHere("--print-agent-config-schema")).toEqual(command);
  expect(await runHere("serve", "--print-agent-config-schema")).toEqual(command);
  expect(JSON.parse(command.stdout)).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema" });
});

it.each([
  ["nowhere.json", /^error: There is no file .*nowhere\.json\.\nName a JSON file with --config/],
  ["torn.json", /^error: Cannot read .*torn\.json: .*JSON/],
])("says that %s cannot be read", async (file, message) => {
  const folder = createTemporaryFolder({ "torn.json": '{"agents": [' });
  const { code, stderr } = await runHere("config", "check", "--config", join(folder, file));
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

it("sends every agent through TensorZero when it has an address", async () => {
  const folder = createTemporaryFolder({
    "app.json": JSON.stringify({ agents: [{ id: "a", model: "openai/gpt-5" }] }),
  });
  const words = [
    "config",
    "show",
    "--json",
    "--config",
    join(folder, "app.json"),
    "--tensorzero-url",
    "http://127.0.0.1:3000/",
  ];
  const [shown] = linesOf(await runHere(...words));
  expect(shown).toMatchObject({
    config: {
      agents: [{ id: "a", model: "tz/agent_chat" }],
      models: { "tz/agent_chat": { provider: "tz", model: "tensorzero::function_name::agent_chat" } },
      providers: { tz: { endpoint: "http://127.0.0.1:3000/openai/v1" } },
    },
  });
  expect((await runHere(...words.with(1, "check"))).code).toBe(0);
});

it("finds with doctor what would keep a server from working", async () => {
  const folder = createTemporaryFolder({ "broken.json": JSON.stringify(BROKEN) });
  const broken = await runHere("doctor", "--config", join(folder, "broken.json"), "--json");
  expect(broken.code).toBe(1);
  const { ok, findings } = JSON.parse(broken.stdout);
  expect(ok).toBe(false);
  expect(findings.filter(({ status }: { status: string }) => status === "fail").length).toBeGreaterThan(4);
  const away = await runHere("doctor", "--database-url", "postgres://me:hunter2@127.0.0.1:1/none", "--json");
  expect(away.code).toBe(1);
  expect(JSON.parse(away.stdout).findings).toContainEqual(expect.objectContaining({ check: "store", status: "fail" }));
  expect(away.stdout).not.toContain("hunter2");
});
