import { eventually } from "@reprise/testkit";
import { expect, it } from "vitest";
import { answers, settle, surviveDeath } from "./support/survive-death.ts";

it("ends a delegation once when the process of parent and child is killed in the child", async () => {
  const runtime = await surviveDeath("foreground", "in the child");
  expect(await settle(runtime)).toEqual(["lead user natural", "worker subagent natural"]);
  expect(await answers(runtime)).toEqual([expect.stringContaining('"output":"found it"')]);
});

it("runs a task in the background again when its tool is safe to run again", async () => {
  const runtime = await surviveDeath("safe task", "in the safe task");
  await eventually(async () => expect((await answers(runtime)).at(-1)).toBe("told: is over: completed"));
  expect((await settle(runtime)).filter((end) => end.includes("subagent"))).toEqual(["lead subagent natural"]);
});

it("asks a person about a task in the background whose tool is not, and reports what the person found out", async () => {
  const runtime = await surviveDeath("unsafe task", "in the unsafe task");
  const question = await eventually(async () => {
    const [open] = await runtime.decisions.list();
    expect(open).toMatchObject({ tool_id: "unsafe", ticket: { suspension: { action: "unknown_outcome" } } });
    return open;
  });
  await runtime.decisions.decide(question?.id ?? "", { action: "supply", result: "it worked" });
  await eventually(async () => expect((await answers(runtime)).at(-1)).toBe("told: is over: completed"));
  await settle(runtime);
});

it("ends a child whose recovery is denied by its settings, and continues one whose recovery is allowed", async () => {
  const denied = await surviveDeath("foreground", "in the child", { recovery: { behavior: "deny" } });
  expect(await settle(denied)).toEqual(["lead user natural", "worker subagent behavior_requested"]);
  expect(await answers(denied)).toEqual([expect.stringContaining("agent_recovery denies to continue it")]);
  const allowed = await surviveDeath("foreground", "in the child", { recovery: { behavior: "allow" } });
  expect(await settle(allowed)).toEqual(["lead user natural", "worker subagent natural"]);
});
