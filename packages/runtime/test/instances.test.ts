import { type LogLevel, RepriseError } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { freezeProcess } from "./support/frozen-env.ts";
import { interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { settle, soon } from "./support/wait.ts";

describe("an instance id", () => {
  it("lets a process that comes back take up at once what it left", async () => {
    const world = createWorld();
    const entered: (() => Promise<void>)[] = [];
    // A process that is killed holds its name no more.
    const frozen = freezeProcess(world);
    const store = interceptStore(frozen.store, {
      operator: (inner) => ({
        async enter(owner) {
          const leave = await inner.enter(owner);
          entered.push(leave);
          return leave;
        },
      }),
    });
    const first = await openRuntime({ world, env: frozen.env, store, script: [[{ stall: true }]], instanceId: "one" });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    for (const leave of entered) await leave();
    const again = await openRuntime({ world, script: ["back"], instanceId: "one" });
    expect(await soon((await again.runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "back" });
  });

  it("is refused while another runtime has it, and free when that one is closed", async () => {
    const world = createWorld();
    const first = await openRuntime({ world, instanceId: "one" });
    await expect(openRuntime({ world, instanceId: "one" })).rejects.toMatchObject({ code: "STORE_OWNED" });
    await openRuntime({ world, instanceId: "two" });
    await soon(first.runtime.close());
    await openRuntime({ world, instanceId: "one" });
  });
});

it("is a client where another process does the work, says so once, and goes on when it may", async () => {
  const world = createWorld();
  const lines: (readonly [LogLevel, string])[] = [];
  let isOwned = true;
  const owned = () => new RepriseError("STORE_OWNED", "Cannot claim: process 7 does.", { details: { owner_pid: 7 } });
  const store = interceptStore(world.store, {
    operator: (inner) => ({ claim: async (request) => (isOwned ? Promise.reject(owned()) : inner.claim(request)) }),
    tenant: (inner) => ({ submit: (entry) => inner.submit(entry) }),
  });
  const env = { ...world.env, log: (level: LogLevel, message: string) => void lines.push([level, message]) };
  const { runtime } = await openRuntime({ world, store, env, script: ["done"] });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  for (let second = 0; second < 10; second += 1) {
    await world.env.advance(1_000);
    await settle();
  }
  expect(lines).toEqual([["info", expect.stringContaining("client")]]);
  isOwned = false;
  await world.env.advance(1_000);
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
});
