import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { useServer } from "../../stores/test/postgres/use-server.ts";
import { linkPackages } from "./support/module-folder.ts";
import { Balancer, type Sent, sendUntilAccepted } from "./support/roll-out.ts";
import { runCli } from "./support/run-cli.ts";
import { createSharedFolder } from "./support/shared-folder.ts";
import { type Served, serveModule } from "./support/start-serve.ts";

/** Each test starts several processes, on a machine that may be busy. */
vi.setConfig({ testTimeout: 240_000 });

/** An agent that works in four steps, each a commit, and writes down every effect it has. */
const STEPPER = `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { defineAgent, defineTool, scriptedModel } from "reprise";

const step = defineTool({
  id: "step",
  description: "Does a step.",
  execute: async (_, { identity }) => {
    await pause(40);
    appendFileSync("effects.log", \`\${identity.runId} \${identity.callId} \${process.pid}\\n\`);
    return {};
  },
});
const script = [...Array.from({ length: 3 }, () => [{ call: "step" }]), "done"];
export const stepper = defineAgent({ id: "stepper", model: scriptedModel(script), tools: [step] });

const hold = defineTool({
  id: "hold",
  description: "Waits until it may go.",
  idempotent: true,
  execute: async (_, { identity, signal }) => {
    appendFileSync("held.log", \`\${identity.runId} \${identity.callId} \${process.pid}\\n\`);
    while (!existsSync("go")) await pause(20, undefined, { signal });
    return {};
  },
});
export const holder = defineAgent({ id: "holder", model: scriptedModel([[{ call: "hold" }], "done"]), tools: [hold] });
`;

/** The columns of a log of effects. */
function readEffects(
  folder: string,
  name = "effects.log",
): readonly { readonly runId: string; readonly callId: string; readonly pid: number }[] {
  return readFileSync(join(folder, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .map(([runId = "", callId = "", pid]) => ({ runId, callId, pid: Number(pid) }));
}

describeWithService("postgres", "processes with roles on one Postgres", (service) => {
  const used = useServer(service);
  const cwd = createSharedFolder();
  beforeAll(() => {
    writeFileSync(join(cwd, "package.json"), '{ "type": "module" }');
    writeFileSync(join(cwd, "agents.ts"), STEPPER);
    linkPackages(cwd);
  });
  /** Each test has a database of its own. */
  let databases = 0;

  async function createDatabase(): Promise<Record<string, string>> {
    const name = `roles_${++databases}`;
    await used.sql(`create database ${name}`);
    const url = new URL(used.url);
    url.pathname = `/${name}`;
    return { DATABASE_URL: url.href };
  }

  async function start(env: Record<string, string>, role: string, ...words: readonly string[]): Promise<Served> {
    const served = await serveModule({ cwd, env }, "agents.ts", "--role", role, ...words);
    onTestFinished(async () => {
      await served.stop("SIGKILL");
    });
    return served;
  }

  const recordOf = async (url: string, runId: string): Promise<{ status?: string; termination_code?: string }> =>
    (await fetch(`${url}/v1/runs/${runId}`)).json();

  const untilDone = async (url: string, runId: string): Promise<void> => {
    await expect.poll(async () => (await recordOf(url, runId)).status, { timeout: 60_000 }).toBe("done");
  };

  describe("issue 21: one process that may change the schema, and others that may not", () => {
    it("refuses a database without tables, names the command that makes them, and starts after it", async () => {
      const env = await createDatabase();
      const refused = await runCli(
        ["serve", "agents.ts", "--role", "api", "--migrate", "never", "--http-addr", "127.0.0.1:0"],
        { cwd, env },
      );
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain("The schema reprise has no tables, and this version needs step");
      expect(refused.stderr).toContain("Run `reprise migrate` with a role that may change the schema");
      for (const _ of ["made", "again"]) {
        const migrated = await runCli(["migrate", "--json"], { cwd, env });
        expect([migrated.code, JSON.parse(migrated.stdout)]).toMatchObject([0, { has_schema: true }]);
      }
      const api = await start(env, "api", "--migrate", "never");
      expect(await api.stop()).toBe(0);
    });
  });

  it("answer without working (api), work without answering (worker), and drain in that order", async () => {
    const env = await createDatabase();
    const api = await start(env, "api", "--notice-ms", "1500");
    expect(api.started).toMatchObject({ role: "api" });
    const balancer = new Balancer();
    balancer.add(api.url);
    await sendUntilAccepted(balancer, "alone", "stepper");

    // No process works: the depth of the mailboxes says so, for whoever scales the workers.
    const depth = async (url: string): Promise<number> =>
      Number(/^reprise_mailbox_depth (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);
    expect(await depth(api.url)).toBe(1);
    expect((await recordOf(api.url, "alone")).status).not.toBe("done");

    const worker = await start(env, "worker");
    await untilDone(api.url, "alone");
    expect(await depth(api.url)).toBe(0);
    expect(await depth(worker.url)).toBe(0);
    for (const path of ["/health", "/ready"]) expect((await fetch(`${worker.url}${path}`)).status).toBe(200);
    for (const path of ["/", "/v1/runs", "/v1/agents", "/mcp"])
      expect((await fetch(`${worker.url}${path}`)).status).toBe(404);
    expect(readEffects(cwd).map(({ pid }) => pid)).toEqual([worker, worker, worker].map(({ started }) => started.pid));

    // Not ready first, and still answering.
    const stopped = api.stop("SIGTERM");
    await expect.poll(async () => (await fetch(`${api.url}/ready`)).status, { interval: 20 }).toBe(503);
    expect((await fetch(`${api.url}/v1/runs/alone`)).status).toBe(200);
    expect(await stopped).toBe(0);
    await expect(fetch(`${api.url}/ready`)).rejects.toThrow();
    expect(await worker.stop()).toBe(0);
  });

  it("issue 21: cut what is not over within the limit of the drain, and let end what is", async () => {
    const holding = (): ReturnType<typeof readEffects> =>
      existsSync(join(cwd, "held.log")) ? readEffects(cwd, "held.log") : [];
    const openHolding = async (runId: string, drainMs: string) => {
      const env = await createDatabase();
      const served = await start(env, "all", "--drain-ms", drainMs);
      const balancer = new Balancer();
      balancer.add(served.url);
      await sendUntilAccepted(balancer, runId, "holder");
      await expect.poll(() => holding().some((each) => each.runId === runId), { timeout: 60_000 }).toBe(true);
      return { env, served, balancer };
    };
    const [short, long] = [await openHolding("cut", "300"), await openHolding("kept", "120000")];
    const [cut, kept] = [short.served.stop("SIGTERM"), long.served.stop("SIGTERM")];
    // Nothing lets the tools go before the first process has ended.
    expect(await cut).toBe(0);
    expect(long.served.process.exitCode).toBe(null);
    writeFileSync(join(cwd, "go"), "");
    expect(await kept).toBe(0);

    // Another process continues the run that was cut; the other one is over.
    for (const [runId, { env }] of [
      ["cut", short],
      ["kept", long],
    ] as const) {
      const next = await start(env, "all");
      await untilDone(next.url, runId);
      expect(await recordOf(next.url, runId)).toMatchObject({ termination_code: "natural" });
      expect(await next.stop()).toBe(0);
    }
    const pidsOf = (runId: string) => holding().flatMap((each) => (each.runId === runId ? [each.pid] : []));
    expect(pidsOf("kept")).toEqual([long.served.started.pid]);
    expect([pidsOf("cut").length, pidsOf("cut")[0]]).toEqual([2, short.served.started.pid]);
    expect(new Set(holding().map(({ callId }) => callId)).size).toBe(2);
  });

  it("lose nothing when two workers and an api are replaced under load", { timeout: 600_000 }, async () => {
    const env = await createDatabase();
    const balancer = new Balancer();
    let api = await start(env, "api", "--notice-ms", "500");
    balancer.add(api.url);
    const workers = [await start(env, "worker"), await start(env, "worker")];
    const oldPids = workers.map(({ started }) => started.pid);

    const sent: Sent[] = [];
    const load = { isOver: false };
    const lanes = Array.from({ length: 4 }, async (_, lane) => {
      for (let number = 0; !load.isOver; number++) {
        sent.push(await sendUntilAccepted(balancer, `run-${lane}-${number}`, "stepper"));
        await pause(60);
      }
    });
    const untilMore = async (count: number): Promise<void> => {
      const wanted = sent.length + count;
      await expect.poll(() => sent.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(wanted);
    };

    await untilMore(20);
    // As a deployment does: the new one is ready before the old one is told to stop.
    for (const old of workers) {
      await start(env, "worker");
      const exit = old.stop("SIGTERM");
      await untilMore(5);
      expect(await exit).toBe(0);
    }
    const next = await start(env, "api", "--notice-ms", "500");
    balancer.add(next.url);
    const exit = api.stop("SIGTERM");
    await untilMore(10);
    expect(await exit).toBe(0);
    api = next;
    await untilMore(10);
    load.isOver = true;
    await Promise.all(lanes);

    expect(sent.length).toBeGreaterThan(50);
    // A connection may break while its process goes, and a closing one may say 503. Anything else would be an error of ours.
    const refusals = sent.flatMap((each) => each.refusals);
    expect(
      refusals.filter((refusal) => ![503, "ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET"].includes(refusal)),
    ).toEqual([]);
    for (const { runId } of sent) await untilDone(api.url, runId);
    const outcomes = await Promise.all(
      sent.map(async ({ runId }) => (await recordOf(api.url, runId)).termination_code),
    );
    expect(new Set(outcomes)).toEqual(new Set(["natural"]));
    const ids = new Set(sent.map(({ runId }) => runId));
    const { total } = await (await fetch(`${api.url}/v1/runs?limit=1`)).json();
    expect(total).toBe(ids.size);
    for (const runId of [...ids].slice(-10)) {
      const events = await (await fetch(`${api.url}/v1/runs/${runId}/events`)).text();
      expect(events.match(/"type":"run_finish"/g)).toHaveLength(1);
    }
    // Three effects a run, each once: what was handed over was not done again.
    const effects = readEffects(cwd).filter(({ runId }) => ids.has(runId));
    expect(new Set(effects.map(({ callId }) => callId)).size).toBe(effects.length);
    expect(effects.length).toBe(3 * ids.size);
    expect(effects.some(({ pid }) => !oldPids.includes(pid))).toBe(true);
    expect(effects.some(({ pid }) => oldPids.includes(pid))).toBe(true);
  });
});
