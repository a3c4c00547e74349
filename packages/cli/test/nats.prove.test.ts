import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, headers } from "@nats-io/transport-node";
import { eventually } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { startNats } from "../../stores/test/nats/start-nats.ts";
import { createModuleFolder } from "./support/module-folder.ts";
import { runCli } from "./support/run-cli.ts";
import { serveModule } from "./support/start-serve.ts";

/** The tool says which process has it, and waits until it may end. */
const AGENTS = `
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, defineTool, scriptedModel } from "reprise";

const wait = defineTool({ id: "wait", description: "Waits.", class: "read_only", async execute(_, { signal }) {
  writeFileSync("pid", String(process.pid));
  while (!existsSync("go")) await sleep(20, undefined, { signal });
  return "waited";
} });
export const waiter = defineAgent({ id: "waiter", model: scriptedModel([[{ call: "wait" }], "It is over."]), tools: [wait] });
`;

describeWithService("nats", "processes that share a NATS server", (service) => {
  it("serve in a queue group, and one of them answers for another that was killed", async () => {
    const broker = await startNats(service, { hasJetStream: false });
    onTestFinished(() => broker.stop());
    const cwd = createModuleFolder({ "agents.ts": AGENTS });
    const place = { cwd, env: { AGENTOS_NATS_URL: broker.url } };
    const served = [await serveModule(place, "agents.ts"), await serveModule(place, "agents.ts")];
    onTestFinished(async () => void (await Promise.all(served.map((each) => each.stop("SIGKILL")))));
    const client = await connect({ servers: broker.url });
    onTestFinished(() => client.close());
    const given = headers();
    given.set("reprise-sentinel", "true");
    const payload = JSON.stringify({ agentId: "waiter", sessionId: "t1", input: "wait", runId: "r1" });
    const ask = async (maxWait: number) => {
      const options = { strategy: "sentinel", maxWait, headers: given } as const;
      const events: { readonly type: string; readonly delta?: string }[] = [];
      for await (const message of await client.requestMany("agentos.ai-sdk.runs", payload, options))
        if (message.data.length > 0) events.push(message.json());
      return events;
    };
    const lost = ask(60_000);
    const owner = Number(await eventually(() => readFileSync(join(cwd, "pid"), "utf8")));
    const [killed, left] = served.toSorted((one) => (one.process.pid === owner ? -1 : 1));
    expect(killed?.process.pid).toBe(owner);
    await killed?.stop("SIGKILL");
    writeFileSync(join(cwd, "go"), "");
    // Asked again under its id it is the same run, taken over by the process that is left.
    const events = await ask(60_000);
    expect(events.map(({ delta = "" }) => delta).join("")).toContain("It is over.");
    expect(events.at(-1)?.type).toBe("finish");
    const shown = await runCli(["runs", "list", "--json"], { cwd });
    expect(JSON.parse(shown.stdout).items).toMatchObject([{ run_id: "r1", status: "done" }]);
    expect(left?.process.exitCode).toBe(null);
    expect(existsSync(join(cwd, "go"))).toBe(true);
    void lost.catch(() => undefined);
  }, 120_000);

  it("refuse a NATS server on another machine without authentication, and say when there is none", async () => {
    const cwd = createModuleFolder({ "agents.ts": AGENTS });
    const serve = (url: string) => runCli(["serve", "agents.ts", "--port", "0", "--nats-url", url], { cwd });
    const refused = await serve("nats://nats.example.com:4222");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("without authentication")]);
    const missing = await serve("nats://127.0.0.1:1");
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("cannot be reached")]);
  }, 60_000);
});
