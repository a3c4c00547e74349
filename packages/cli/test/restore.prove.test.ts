import { execFileSync } from "node:child_process";
import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { useServer } from "../../stores/test/postgres/use-server.ts";
import { linkPackages } from "./support/module-folder.ts";
import { runCli } from "./support/run-cli.ts";
import { createSharedFolder } from "./support/shared-folder.ts";
import { type Served, serveModule } from "./support/start-serve.ts";

/** An agent that asks, and one whose tool comes to an end only once a file is there. */
const AGENTS = `
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { defineAgent, defineTool, scriptedModel } from "reprise";

const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => ({ paid: true }) });
const wait = defineTool({
  id: "wait", description: "Waits.", idempotent: true,
  async execute(_, { signal }) {
    writeFileSync("begun", "");
    while (!existsSync("released")) await pause(50, undefined, { signal });
    return { waited: true };
  },
});
export const payer = defineAgent({ id: "payer", model: scriptedModel([[{ call: "pay" }], "It is paid."]), tools: [pay] });
export const waiter = defineAgent({ id: "waiter", model: scriptedModel([[{ call: "wait" }], "I waited."]), tools: [wait] });
`;

describeWithService("postgres", "a Postgres store that is restored from a dump", (service) => {
  const used = useServer(service);
  const cwd = createSharedFolder();
  beforeAll(() => {
    writeFileSync(join(cwd, "package.json"), '{ "type": "module" }');
    writeFileSync(join(cwd, "agents.ts"), AGENTS);
    linkPackages(cwd);
  });

  async function createDatabase(name: string): Promise<string> {
    await used.sql(`create database ${name}`);
    const url = new URL(used.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  async function serve(database: string): Promise<Served> {
    const served = await serveModule(
      { cwd, env: { DATABASE_URL: database } },
      "agents.ts",
      "--instance-id",
      "server-1",
    );
    onTestFinished(async () => {
      await served.stop("SIGKILL");
    });
    return served;
  }

  const tool = (name: string, ...words: readonly string[]): void =>
    void execFileSync(join(dirname(realpathSync(service.binary)), name), words, { stdio: "pipe" });

  const start = async (url: string, agentId: string, runId: string): Promise<void> => {
    const body = JSON.stringify({ agentId, runId, threadId: runId, messages: [{ role: "user", content: "go" }] });
    const response = await fetch(`${url}/v1/runs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  };
  const untilItIs = (url: string, runId: string, expected: object): Promise<void> =>
    expect
      .poll(async () => (await fetch(`${url}/v1/runs/${runId}`)).json(), { timeout: 60_000 })
      .toMatchObject(expected);

  it("issue 21: runs that were done, that wait and that were at work are there, and continue", {
    timeout: 300_000,
  }, async () => {
    const before = await createDatabase("before");
    const first = await serve(before);
    await start(first.url, "payer", "paid");
    await untilItIs(first.url, "paid", { status: "waiting" });
    const decide = async (url: string, runId: string): Promise<void> => {
      const { items } = await (await fetch(`${url}/v1/decisions?run_id=${runId}`)).json();
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ action: "approve" });
      expect((await fetch(`${url}/v1/decisions/${items[0].id}`, { method: "POST", headers, body })).status).toBe(202);
    };
    await decide(first.url, "paid");
    await untilItIs(first.url, "paid", { status: "done" });
    await start(first.url, "payer", "asks");
    await untilItIs(first.url, "asks", { status: "waiting" });
    await start(first.url, "waiter", "works");
    // The call was committed before its tool began.
    await expect.poll(() => existsSync(join(cwd, "begun")), { timeout: 60_000 }).toBe(true);

    // As docs/how-to/back-up-and-restore.md says, while the process works; then that machine is gone.
    const dump = join(cwd, "reprise.dump");
    tool("pg_dump", "--format=custom", "--schema=reprise", `--file=${dump}`, before);
    await first.stop("SIGKILL");
    const after = await createDatabase("after");
    tool("pg_restore", "--exit-on-error", "--no-owner", `--dbname=${after}`, dump);

    writeFileSync(join(cwd, "released"), "");
    const second = await serve(after);
    await untilItIs(second.url, "works", { status: "done", termination_code: "natural" });
    await untilItIs(second.url, "asks", { status: "waiting" });
    await decide(second.url, "asks");
    await untilItIs(second.url, "asks", { status: "done", termination_code: "natural" });
    for (const run of ["paid", "asks", "works"]) {
      const replayed = await runCli(["replay", run, "--json"], { cwd, env: { DATABASE_URL: after } });
      expect([run, replayed.code, JSON.parse(replayed.stdout).equal]).toEqual([run, 0, true]);
    }
    expect(await second.stop()).toBe(0);
  });
});
