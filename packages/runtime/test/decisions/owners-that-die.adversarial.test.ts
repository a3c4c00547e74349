import { MAX_ATTEMPTS } from "@reprise/contracts";
import { expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { crashAtPoint } from "../support/crashing-env.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { suspend } from "../support/suspend.ts";
import { countingTool } from "../support/tools.ts";
import { settle, until } from "../support/wait.ts";

it("a decided run whose owners all die before they get anywhere comes to an end, and holds up no other work", async () => {
  const first = await suspend();
  await first.runtime.close();
  await first.runtime.decisions.decide(first.call.id, { action: "approve" });
  const { env, store, blobs, tenant } = first;
  const world = { env, store, blobs };
  const { tool, keys } = countingTool({ needsApproval: true });
  for (let death = 0; death < MAX_ATTEMPTS; death += 1) {
    await openRuntime({ world, ...crashAtPoint(world, 1), tools: [tool] });
    await settle();
    await env.advance(13_000);
  }
  const last = await openRuntime({ world, script: ["after", "later"], tools: [tool] });
  const next = await last.runtime.start({ agent: "agent", threadId: "t1", input: "later", whenBusy: "enqueue" });
  // A caller that asks again learns how it stands, and does no harm.
  await last.runtime.decisions.decide(first.call.id, { action: "approve" }).catch(() => undefined);
  for (let turn = 0; turn < 10; turn += 1) await env.advance(2_000);
  await settle();
  expect(await (await last.runtime.run(first.run.id)).record()).toMatchObject({ status: "done" });
  await until(async () => (await next.record().catch(() => undefined))?.status === "done", "who comes after");
  expect(keys.length).toBeLessThanOrEqual(1);
  await assertConsistent(tenant, "t1");
});
