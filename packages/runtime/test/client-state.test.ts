import { changeState } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { expect, it } from "vitest";
import { openRuntime } from "./support/open-runtime.ts";
import { soon } from "./support/wait.ts";

const rules = defineState({
  path: "rules",
  initial: (): string[] => [],
  actions: { add: (list, rule: string) => [...list, rule] },
});
const plugin = definePlugin({
  id: "rules",
  states: [rules],
  hooks: { runStart: () => [changeState(rules.add("be kind"))] },
});

it("refuses a request that writes what belongs to a plugin, and stores nothing", async () => {
  const { runtime, tenant } = await openRuntime({ agent: { plugins: [plugin] } });
  const start = (state: { readonly [key: string]: never[] | string }) =>
    runtime.start({ agent: "agent", threadId: "t1", input: "go", state });
  await expect(start({ rules: [] })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining('"rules"'),
  });
  expect(await tenant.loadThread("t1")).toBeUndefined();
  await soon((await start({ own: "fine" })).outcome());
  expect(await runtime.threads.state("t1")).toMatchObject({ own: "fine", rules: ["be kind"] });
});
