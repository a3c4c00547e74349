import type { LogLevel, Presence } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { freezeProcess } from "./support/frozen-env.ts";
import { interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { settle, soon, until } from "./support/wait.ts";

describe("an instance id", () => {
  it("lets a process that comes back take up at once what it left", async () => {
    const world = createWorld();
    const entered: Presence[] = [];
    // A process that is killed holds its name no more.
    const frozen = freezeProcess(world);
    const store = interceptStore(frozen.store, {
      operator: (inner) => ({
        async enter(entry) {
          const presence = await inner.enter(entry);
          entered.push(presence);
          return presence;
        },
      }),
    });
    const first = await openRuntime({ world, env: frozen.env, store, script: [[{ stall: true }]], instanceId: "one" });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    for (const presence of entered) await presence.leave();
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

  it("issue 14.35: is taken from a process that was frozen for longer than its leases, which then takes no more work", async () => {
    const world = createWorld();
    const lines: string[] = [];
    const log = (_level: LogLevel, message: string): void => void lines.push(message);
    const thaw = Promise.withResolvers<void>();
    let isFrozen = false;
    const { now, mono, sleep, after } = world.env.clock;
    const freezable = async (...asked: Parameters<typeof sleep>): Promise<void> => {
      await sleep(...asked);
      if (isFrozen) await thaw.promise;
    };
    const env = { ...world.env, log, clock: { now, mono, after, sleep: freezable } };
    const { store } = freezeProcess(world);
    const first = await openRuntime({ world, env, store, script: [[{ stall: true }]], instanceId: "one" });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    isFrozen = true;
    await expect(openRuntime({ world, instanceId: "one" })).rejects.toMatchObject({ code: "STORE_OWNED" });
    await world.env.advance(12_001);
    const second = await openRuntime({ world, script: ["done elsewhere"], instanceId: "one" });
    expect(await soon((await second.runtime.run(run.id)).outcome())).toMatchObject({ text: "done elsewhere" });
    isFrozen = false;
    thaw.resolve();
    await until(() => first.runtime.isReplaced, "the frozen process to hear of it");
    expect(lines).toContain("this process was replaced and takes no more work");
    expect(second.runtime.isReplaced).toBe(false);
    // What it accepts from now on is for others.
    const accepted = await first.runtime.start({ agent: "agent", threadId: "t2", input: "go" });
    expect(await soon(accepted.outcome())).toMatchObject({ text: "done elsewhere" });
  });
});
