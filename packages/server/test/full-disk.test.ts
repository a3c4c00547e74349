import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "@reprise/server";
import { createRuntime, sqlite } from "reprise";
import { expect, it } from "vitest";
import { mountSmallDisk } from "../../../test/support/small-disk.ts";
import { demoAgents } from "./support/demo-agents.ts";
import { until } from "./support/until.ts";

it("issue 14.34: a server whose disk is full is not ready, and is again when there is space", async (context) => {
  const folder = mountSmallDisk(context, 8);
  const store = await sqlite(join(folder, "threads.db"));
  const runtime = await createRuntime({ agents: demoAgents(), store });
  const told: unknown[] = [];
  const server = createServer({ runtime, onError: (error) => told.push(error) });
  const ready = async (): Promise<readonly [number, string]> => {
    const response = await server.fetch(new Request("http://localhost/ready"));
    return [response.status, await response.text()];
  };
  expect(await ready()).toEqual([200, '{"status":"ready","agents_missing":[]}']);
  const ballast = join(folder, "ballast");
  expect(() => writeFileSync(ballast, Buffer.alloc(16_000_000))).toThrow();
  await until(async () => (await ready())[0] === 503, "the disk to be found full");
  expect((await ready())[1]).toMatch(/not ready: .*(space|full)/i);
  expect(told[0]).toMatchObject({ code: "STORAGE_FULL" });
  truncateSync(ballast, 0);
  await until(async () => (await ready())[0] === 200, "the space to be found");
  server.close();
  await runtime.close();
  await store.close();
});
