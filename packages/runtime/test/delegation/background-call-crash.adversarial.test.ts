import { type Tool, textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool, type ToolDefinition } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { dieAtCommit, type MortalProcess } from "../support/die-at-commit.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { soon, until } from "../support/wait.ts";

const BACKGROUND: ToolDefinition<unknown, unknown> = {
  id: "background",
  description: "Has the slow tool run in the background.",
  inputSchema: { type: "object" },
  execute: async (_, { runs }) => ({ ...(await runs.startCall({ toolId: "slow", arguments: { of: "work" } })) }),
};
const background = defineTool({ ...BACKGROUND, idempotent: true });

/** The same by a tool whose calls are not all safe to repeat. */
const choosy: Tool = { ...defineTool(BACKGROUND), mayRepeat: () => true };

function slow(idempotent: boolean): Tool {
  return defineTool({
    id: "slow",
    description: "Works.",
    inputSchema: { type: "object", additionalProperties: true },
    idempotent,
    execute: (given: { readonly of: string }) => ({ done: given.of }),
  });
}

interface Setup extends Partial<MortalProcess> {
  readonly starter?: Tool;
}

async function open(world: World, isSafe: boolean, setup: Setup = {}, instanceId = "first") {
  const { env = world.env, store = world.store, starter = background } = setup;
  const boss = scriptedModel(({ messages }) => {
    if (messages.some((message) => textOf(message).startsWith("<task "))) return "told";
    return messages.at(-1)?.role === "tool" ? "started" : [{ call: "background", arguments: {} }];
  }, "boss");
  const runtime = await createRuntime({
    ...world,
    env,
    store,
    instanceId,
    agents: [defineAgent({ id: "boss", model: boss, tools: [starter, slow(isSafe)] })],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, boss };
}

const DEATHS = Array.from({ length: 9 }, (_, index) => index + 1).flatMap((commit) => [
  [commit, "before", "idempotent", background] as const,
  [commit, "after", "idempotent", background] as const,
  [commit, "before", "repeatable for such calls", choosy] as const,
]);

it.each(DEATHS)(
  "ends with one task and one message when the process dies at commit %i, %s it, and the tool that starts it is %s",
  async (commit, moment, _, starter) => {
    const world = createWorld();
    const mortal = dieAtCommit(world, commit, moment);
    const first = await open(world, true, { ...mortal, starter });
    const run = await first.runtime.start({ agent: "boss", threadId: "above", input: "go" }).catch(() => undefined);
    let isOver = false;
    void run?.outcome().then(
      () => (isOver = true),
      () => (isOver = true),
    );
    await until(() => mortal.isDead() || isOver);
    const second = await open(world, true, { starter }, "second");
    const items = async () => (await second.runtime.runs({ limit: 10 })).items;
    await world.env.advance(13_000);
    if (run === undefined && (await items()).length === 0) return;
    await until(async () => {
      const runs = await items();
      return runs.some(({ run_id }) => run_id.startsWith("bg_")) && runs.every(({ status }) => status === "done");
    });
    const told = async () => {
      const { messages } = await second.runtime.threads.messages("above", { visibility: "internal" });
      return messages.filter((message) => textOf(message).startsWith("<task ")).length;
    };
    await until(async () => (await told()) > 0 && (await items()).every(({ status }) => status === "done"));
    expect(await told()).toBe(1);
    expect(
      (await items()).filter(({ run_id }) => run_id.startsWith("bg_") && !run_id.endsWith("-completion")),
    ).toHaveLength(1);
    for (const { run_id } of await items())
      expect(await soon(second.runtime.replay(run_id))).toMatchObject({ equal: true });
  },
);

it("asks a person what happened to a task whose tool is not safe to run again", async () => {
  // One of these commits would have had the result of the task: its tool has run, and nothing says so.
  for (let commit = 2; commit < 9; commit++) {
    const own = createWorld();
    const mortal = dieAtCommit(own, commit, "before");
    const first = await open(own, false, mortal);
    await first.runtime.start({ agent: "boss", threadId: "above", input: "go" });
    await until(async () => mortal.isDead() || (await hasEnded(own)));
    const second = await open(own, false, {}, "second");
    await own.env.advance(13_000);
    await until(async () => (await hasEnded(own)) || (await second.runtime.decisions.list()).length > 0);
    const [question] = await second.runtime.decisions.list();
    if (question === undefined) continue;
    expect(question).toMatchObject({ tool_id: "slow", ticket: { suspension: { action: "unknown_outcome" } } });
    await second.runtime.decisions.decide(question.id, { action: "supply", result: { done: "by hand" } });
    await until(() => hasEnded(own));
    return;
  }
  expect.unreachable("no death fell into the execution of the task");
});

/** Whether the thread has heard of the end of its task. */
async function hasEnded({ store }: World): Promise<boolean> {
  const { items } = await store.forTenant("default").listRuns({ limit: 10 });
  const isTold = (await store.forTenant("default").listEntries({})).items.some(({ run_id }) =>
    run_id.endsWith("-completion"),
  );
  return isTold && items.every(({ status }) => status === "done");
}
