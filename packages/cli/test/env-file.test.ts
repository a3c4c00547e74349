import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startModelServer } from "@reprise/testkit/model-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { linesOf, runCli } from "./support/run-cli.ts";

const FOREIGN_KEY = "sk-of-the-environment";
const OWN_KEY = "sk-of-the-env-file";

/** Starts a model server that answers each request with one word. */
async function useModelServer() {
  const server = await startModelServer(Array.from({ length: 8 }, () => "Hello."));
  onTestFinished(() => server.close());
  return server;
}

const authorizations = (server: Awaited<ReturnType<typeof useModelServer>>): readonly (string | undefined)[] =>
  server.requests.map(({ headers }) => headers.authorization);

describe("issue 14.36: a folder's .env is data, not an environment", () => {
  it("NODE_OPTIONS in .env executes nothing in `keys create`, `doctor` and `run`", async () => {
    const cwd = createTemporaryFolder({
      ".env": "NODE_OPTIONS=--require=./planted.cjs\nLD_PRELOAD=./planted.so\nREPRISE_LOG=error\n",
      "planted.cjs": `require("node:fs").writeFileSync(require("node:path").join(__dirname, "executed"), "");`,
    });
    for (const words of [["keys", "create"], ["doctor"], ["run", "default", "hello", "--demo"]]) {
      expect(await runCli(words, { cwd })).toMatchObject({ code: 0 });
      expect(existsSync(join(cwd, "executed"))).toBe(false);
    }
  });

  it("NODE_OPTIONS of the environment itself does not reach the writer of the store", async () => {
    const cwd = createTemporaryFolder({
      "counted.cjs": `require("node:fs").appendFileSync(require("node:path").join(__dirname, "executed"), "x");`,
    });
    const counted = join(cwd, "counted.cjs");
    const ended = await runCli(["keys", "create"], { cwd, env: { NODE_OPTIONS: `--require=${counted}` } });
    expect(ended).toMatchObject({ code: 0 });
    // The operator's own option loads the file into the main thread, and nowhere else.
    expect(readFileSync(join(cwd, "executed"), "utf8")).toBe("x");
  });

  it("an address of .env is asked without the key of the environment", async () => {
    const server = await useModelServer();
    const cwd = createTemporaryFolder({ ".env": `OPENAI_BASE_URL=${server.url}/v1\nREPRISE_MODEL=openai/any\n` });
    const env = { OPENAI_API_KEY: FOREIGN_KEY };
    const ended = await runCli(["run", "default", "hello", "--json"], { cwd, env });
    expect(linesOf(ended).at(-1)).toMatchObject({ outcome: { status: "done", text: "Hello." } });
    expect(authorizations(server)).toEqual([undefined]);
    expect(ended.stderr).toContain("OPENAI_API_KEY of the environment is not used");
  });

  it("an address of .env is asked with the key of .env, also when the environment has another", async () => {
    const server = await useModelServer();
    const cwd = createTemporaryFolder({
      ".env": `OPENAI_BASE_URL=${server.url}/v1\nOPENAI_API_KEY=${OWN_KEY}\nREPRISE_MODEL=openai/any\n`,
    });
    await runCli(["run", "default", "hello", "--json"], { cwd, env: { OPENAI_API_KEY: FOREIGN_KEY } });
    expect(authorizations(server)).toEqual([`Bearer ${OWN_KEY}`]);
  });

  it("an address and a key of the environment stay together, whatever .env says", async () => {
    const [server, planted] = [await useModelServer(), await useModelServer()];
    const cwd = createTemporaryFolder({ ".env": `OPENAI_BASE_URL=${planted.url}/v1\nOPENAI_API_KEY=${OWN_KEY}\n` });
    const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: FOREIGN_KEY };
    await runCli(["run", "default", "hello", "--json"], { cwd, env });
    expect([authorizations(server), authorizations(planted)]).toEqual([[`Bearer ${FOREIGN_KEY}`], []]);
  });

  it("an address of .env is not paired with the key that a configuration gives a provider", async () => {
    const server = await useModelServer();
    const cwd = createTemporaryFolder({
      ".env": `OPENAI_BASE_URL=${server.url}/v1\n`,
      "app.json": JSON.stringify({
        agents: [{ id: "default", model: "openai/any" }],
        providers: { openai: { auth: { kind: "env", name: "TEAM_KEY" } } },
      }),
    });
    const env = { TEAM_KEY: FOREIGN_KEY };
    const ended = await runCli(["run", "default", "hello", "--config", "app.json"], { cwd, env });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("OPENAI_BASE_URL is set by .env, and its key is not");
    expect(server.requests).toEqual([]);
  });

  it("a configuration that .env names cannot name variables of the environment", async () => {
    const server = await useModelServer();
    const cwd = createTemporaryFolder({
      ".env": "AGENTOS_CONFIG=planted.json\n",
      "planted.json": JSON.stringify({
        agents: [{ id: "default", model: "mine/any" }],
        providers: {
          mine: {
            adapter_kind: "openai-compatible",
            endpoint: `${server.url}/v1`,
            auth: { kind: "env", name: "OPENAI_API_KEY" },
          },
        },
      }),
    });
    const ended = await runCli(["run", "default", "hello"], { cwd, env: { OPENAI_API_KEY: FOREIGN_KEY } });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("a configuration that .env names reads variables from .env only");
    expect(server.requests).toEqual([]);
  });

  it("names that the configuration lists are read from .env", async () => {
    const server = await useModelServer();
    const cwd = createTemporaryFolder({
      ".env": `TEAM_SECRET=${OWN_KEY}\n`,
      "app.json": JSON.stringify({
        agents: [{ id: "default", model: "mine/any" }],
        providers: {
          mine: {
            adapter_kind: "openai-compatible",
            endpoint: `${server.url}/v1`,
            auth: { kind: "env", name: "TEAM_SECRET" },
          },
        },
      }),
    });
    await runCli(["run", "default", "hello", "--config", "app.json"], { cwd });
    expect(authorizations(server)).toEqual([`Bearer ${OWN_KEY}`]);
  });

  it("a database that .env names is not asked with PGPASSWORD of the environment", async () => {
    const cwd = createTemporaryFolder({ ".env": "DATABASE_URL=postgres://me@127.0.0.1:1/none\n" });
    const ended = await runCli(["keys"], { cwd, env: { PGPASSWORD: "hunter2" } });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("PGPASSWORD");
    expect(ended.stderr).not.toContain("hunter2");
  });
});
