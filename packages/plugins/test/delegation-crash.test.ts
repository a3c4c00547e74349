import { eventually } from "@reprise/testkit";
import { expect, it } from "vitest";
import { answers, settle, surviveDeath } from "./support/survive-death.ts";

it("tells the thread once when the process is killed in a child in the background, whose parent is over", async () => {
  const runtime = await surviveDeath("background", "in the child");
  await eventually(async () => expect((await answers(runtime)).at(-1)).toBe("told: is over: natural"));
  const ended = await settle(runtime);
  expect(ended.filter((end) => end.startsWith("worker"))).toEqual(["worker subagent natural"]);
  const { messages } = await runtime.threads.messages("t1", { visibility: "internal" });
  expect(messages).toHaveLength(1);
});

it.each([
  ["approve", "natural", '"output":"found it"'],
  ["deny", "stopped:review_denied", '"stopped_by":"stopped:review_denied"'],
] as const)(
  "asks whether a child with agent_recovery continues; after %s the parent gets its end",
  async (action, code, told) => {
    const runtime = await surviveDeath("foreground", "in the child", { recovery: {} });
    const question = await eventually(async () => {
      const [open, ...more] = await runtime.decisions.list();
      expect(more).toEqual([]);
      expect(open).toMatchObject({
        ticket: { suspension: { action: "recover_agent_run", parameters: { agent_id: "worker" } } },
      });
      return open;
    });
    const [child] = (await runtime.runs({ agentId: "worker" })).items;
    expect(question?.ticket?.pending.id).toBe(`agent_recovery_${child?.run_id}`);
    await runtime.decisions.decide(question?.id ?? "", { action });
    expect(await settle(runtime)).toEqual(["lead user natural", `worker subagent ${code}`]);
    expect(await answers(runtime)).toEqual([expect.stringContaining(told)]);
  },
);

it("asks again, under another id, when the process of a child dies a second time", async () => {
  const runtime = await surviveDeath("foreground", "in the child", { recovery: {}, dyingTwice: true });
  const [child] = (await runtime.runs({ agentId: "worker" })).items;
  const second = `agent_recovery_${child?.run_id}_2`;
  await eventually(async () => {
    const open = await runtime.decisions.list();
    expect(open.map(({ ticket }) => ticket?.pending.id)).toEqual([second]);
  });
  // The answer to the first question may come once more, and is not one to the second.
  const late = runtime.decisions.decide(`agent_recovery_${child?.run_id}`, { action: "approve" });
  await expect(late).rejects.toMatchObject({ code: "CALL_NOT_FOUND" });
  expect(await runtime.decisions.list()).toHaveLength(1);
  await runtime.decisions.decide(second, { action: "approve" });
  expect(await settle(runtime)).toEqual(["lead user natural", "worker subagent natural"]);
  expect(await answers(runtime)).toEqual([expect.stringContaining('"output":"found it"')]);
});
