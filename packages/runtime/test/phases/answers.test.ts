import {
  type AfterInferenceContext,
  holdAnswer,
  type PhaseAction,
  type Plugin,
  replaceText,
  retryInference,
  suspendStep,
  terminateRun,
} from "@reprise/contracts";
import type { Script, ScriptTurn } from "@reprise/models";
import { definePlugin } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { record } from "../replay-support/record.ts";
import { assertConsistent } from "../support/assert-consistent.ts";
import { crashAtPoint } from "../support/crashing-env.ts";
import { createWorld } from "../support/open-runtime.ts";
import { ADD } from "../support/play-script.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";
import { openPlugins, playPlugins } from "./support/play-plugins.ts";

type Judge = (
  context: AfterInferenceContext,
) => readonly PhaseAction<"replace_text" | "retry_inference" | "suspend_step" | "terminate">[];

/** A plugin that judges answers; `held` keeps them from everybody until it has. */
const judge = (afterInference: Judge, { held = false } = {}): Plugin =>
  definePlugin({ id: "judge", hooks: { afterInference, ...(held && { beforeInference: () => [holdAnswer()] }) } });

const textsOf = (events: readonly { readonly type: string; readonly data?: object }[]) =>
  events.flatMap(({ type, data }) => (type === "text_delta" ? [(data as { readonly delta: string }).delta] : []));

/** Turns in the order in which they are asked for, whatever became of those before. */
function turns(...all: readonly ScriptTurn[]): Script {
  let asked = 0;
  return () => all[asked++] ?? "nothing more";
}

const SECRET = "The password is hunter2.";
const TELL = { text: SECRET } as const;
const clean = "I cannot say.";
const isSecret = ({ text }: AfterInferenceContext): boolean => text.includes("hunter2");

describe("replaceText", () => {
  it("withdraws the text that was streamed, and leaves only the new one in the thread and for the model", async () => {
    const plugin = judge((context) => (isSecret(context) ? [replaceText(clean)] : []));
    const { events, outcome, messages } = await playPlugins([plugin], { script: turns(SECRET) });
    expect(outcome).toMatchObject({ status: "done", text: clean });
    const shown = events.flatMap(({ type }) => (type === "text_delta" || type === "step_reset" ? [type] : []));
    expect(shown.join(" ")).toMatch(/^(text_delta )+step_reset text_delta$/);
    expect(JSON.stringify(messages)).not.toContain("hunter2");
  });

  it("shows nothing of the model's own text when the answer is held", async () => {
    const plugin = judge((context) => (isSecret(context) ? [replaceText(clean)] : []), { held: true });
    const { events, outcome, messages } = await playPlugins([plugin], { script: turns(SECRET) });
    expect(outcome).toMatchObject({ status: "done", text: clean });
    expect(textsOf(events)).toEqual([clean]);
    expect(JSON.stringify([events, messages])).not.toContain("hunter2");
  });

  it.each([false, true])("keeps the tool calls of the answer (held: %s)", async (held) => {
    const plugin = judge((context) => (isSecret(context) ? [replaceText(clean)] : []), { held });
    const { outcome, keys, model, events } = await playPlugins([plugin], { script: turns([TELL, ADD], "ok") });
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toHaveLength(1);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(clean);
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("hunter2");
    const ready = events.filter(({ type }) => type === "tool_call_ready");
    expect(ready).toHaveLength(held ? 1 : 2);
  });

  it("counts also when the run ends there, and of two plugins the first is heard", async () => {
    const first = judge(() => [replaceText(clean), terminateRun("withheld")]);
    const second = definePlugin({ id: "second", hooks: { afterInference: ({ text }) => [replaceText(text)] } });
    const { outcome } = await playPlugins([first, second], { script: turns(SECRET) });
    expect(outcome).toMatchObject({ status: "done", text: clean, termination: { detail: "withheld" } });
  });
});

describe("replaceText before the inference", () => {
  it("is the answer of the step, and the model is not asked", async () => {
    const plugin = definePlugin({ id: "canned", hooks: { beforeInference: () => [replaceText("We are closed.")] } });
    const { outcome, model, events, messages } = await playPlugins([plugin]);
    expect(outcome).toMatchObject({ status: "done", text: "We are closed.", termination: { type: "natural_end" } });
    expect(model.requests).toEqual([]);
    expect(textsOf(events)).toEqual(["We are closed."]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("ends the run with its text when a plugin asks for both", async () => {
    const hooks = { beforeInference: () => [replaceText("No."), terminateRun("blocked")] };
    const { outcome } = await playPlugins([definePlugin({ id: "canned", hooks })]);
    expect(outcome).toMatchObject({ status: "done", text: "No.", termination: { detail: "blocked" } });
  });
});

it("drops the reasoning of an answer when it is told to", async () => {
  const plugin = judge(() => [replaceText(clean, { dropReasoning: true })], { held: true });
  const script = turns([{ reasoning: "They asked for hunter2." }, TELL]);
  const { events, messages } = await playPlugins([plugin], { script });
  expect(JSON.stringify([events, messages])).not.toContain("hunter2");
});

describe("retryInference", () => {
  const insisting = (held: boolean): Plugin =>
    judge((context) => (isSecret(context) ? [retryInference("Do not tell passwords.")] : []), { held });

  it.each([false, true])(
    "asks again with the feedback and runs no call of the rejected answer (held: %s)",
    async (held) => {
      const script = turns(
        [TELL, ADD, { usage: { promptTokens: 5, completionTokens: 7 } }],
        [{ text: clean }, { usage: { promptTokens: 5, completionTokens: 7 } }],
      );
      const { outcome, keys, model, events, messages, run } = await playPlugins([insisting(held)], { script });
      expect(outcome).toMatchObject({ status: "done", text: clean });
      expect(keys).toEqual([]);
      const [rejected, feedback] = model.requests[1]?.messages.slice(-2) ?? [];
      expect(rejected).toMatchObject({ role: "assistant", content: SECRET });
      expect(feedback).toMatchObject({ role: "user" });
      expect(JSON.stringify(feedback)).toContain("Do not tell passwords.");
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
      expect(events.filter(({ type }) => type === "step_reset")).toHaveLength(held ? 0 : 1);
      // Both answers were paid for, in one step.
      expect(await run.record()).toMatchObject({ steps: 1, input_tokens: 10, output_tokens: 14 });
    },
  );

  it("tells the hook which answer of the step it sees", async () => {
    const attempts: number[] = [];
    const plugin = judge(({ attempt }) => {
      attempts.push(attempt);
      return attempt < 3 ? [retryInference("Again.")] : [];
    });
    const { outcome, keys } = await playPlugins([plugin], { script: turns("a", "b", [ADD], "ok", "ok", "fine") });
    expect(attempts).toEqual([1, 2, 3, 1, 2, 3]);
    expect(outcome).toMatchObject({ status: "done", text: "fine" });
    expect(keys).toHaveLength(1);
  });

  it("fails the run of a plugin that is never content", async () => {
    const { outcome } = await playPlugins([judge(() => [retryInference("No.")])], { script: turns("a") });
    expect(outcome).toMatchObject({ status: "failed", code: "PLUGIN_FAILED" });
  });
});

describe("suspendStep after an answer", () => {
  const reviewing = (held = true): Plugin =>
    judge((context) => (isSecret(context) ? [suspendStep({ action: "review_answer", message: "Publish it?" })] : []), {
      held,
    });

  async function openReview(script: Script, held = true) {
    const played = await playPlugins([reviewing(held)], { script });
    if (played.outcome.status !== "waiting") throw new Error(`It did not ask: ${JSON.stringify(played.outcome)}`);
    const [question] = played.outcome.open;
    return { ...played, question, id: question?.id ?? "" };
  }

  it("shows the answer to the reviewer alone", async () => {
    const { question, events, messages } = await openReview(turns([TELL, ADD]));
    expect(question).toMatchObject({
      tool_id: "reprise/review",
      arguments: { text: SECRET, tool_calls: [{ name: "add", arguments: { title: "x" } }] },
      ticket: { asked_by: "plugin:judge", suspension: { action: "review_answer", message: "Publish it?" } },
    });
    expect(textsOf(events)).toEqual([]);
    expect(messages.map(({ role }) => role)).toEqual(["user"]);
  });

  it("withdraws an answer that was streamed already", async () => {
    const { events } = await openReview(turns(SECRET), false);
    const types = events.map(({ type }) => type);
    expect(types.indexOf("step_reset")).toBeGreaterThan(types.indexOf("text_delta"));
  });

  it("publishes an approved answer and runs its calls once", async () => {
    const { id, runtime, run, keys, tenant } = await openReview(turns([TELL, ADD], "ok"));
    expect(keys).toEqual([]);
    await runtime.decisions.decide(id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toHaveLength(1);
    const { messages } = await runtime.threads.messages("t1");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(await run.record()).toMatchObject({ steps: 2 });
    await assertConsistent(tenant, "t1");
  });

  it("publishes an edited answer in the words of the reviewer", async () => {
    const { id, runtime, run } = await openReview(turns(SECRET));
    await expect(runtime.decisions.decide(id, { action: "edit", arguments: { words: 1 } })).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
    await runtime.decisions.decide(id, { action: "edit", arguments: { text: clean } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: clean });
    expect(JSON.stringify(await runtime.threads.messages("t1"))).not.toContain("hunter2");
  });

  it("ends the run when the answer is denied, and forgets the answer with the next run", async () => {
    const { id, runtime, run, keys } = await openReview(turns([TELL, ADD], "Hello."));
    await runtime.decisions.decide(id, { action: "deny", reason: "never" });
    const termination = { type: "stopped", value: { code: "review_denied", detail: "never" } };
    expect(await soon(run.outcome())).toMatchObject({ status: "done", termination });
    expect(keys).toEqual([]);
    const next = await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "again" }));
    expect(next).toMatchObject({ status: "done", text: "Hello." });
    expect(JSON.stringify(await runtime.threads.state("t1"))).not.toContain("hunter2");
  });

  it("ends the run when nobody answers in time", async () => {
    const plugin = judge(() => [suspendStep({ action: "ask", expiresInMs: 1_000 })], { held: true });
    const { runtime, env } = await openPlugins([plugin], { script: turns(SECRET) });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    for (let turn = 0; turn < 10; turn += 1) await env.advance(500);
    const termination = { type: "stopped", value: { code: "review_denied", detail: "the review expired" } };
    expect(await soon(run.outcome())).toMatchObject({ status: "done", termination });
  });

  it("is decided in another process, which has only the store", async () => {
    const { id, runtime, env, store, blobs, run } = await openReview(turns([TELL, ADD], "ok"));
    await runtime.close();
    const { tool, keys } = countingTool();
    const other = await openPlugins([reviewing()], {
      world: { env, store, blobs },
      tools: [tool],
      script: turns("ok"),
    });
    await other.runtime.decisions.decide(id, { action: "approve" });
    expect(await soon((await other.runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toHaveLength(1);
  });
});

describe("suspendStep before the model is asked", () => {
  const asking = definePlugin({
    id: "asking",
    hooks: { beforeInference: ({ step, messages }) => (step === 1 && messages.length === 1 ? ask() : []) },
  });
  let isAsked = false;
  const ask = (): readonly PhaseAction<"suspend_step">[] => {
    if (isAsked) return [];
    isAsked = true;
    return [suspendStep({ action: "review_input" })];
  };

  it.each([
    ["approve", { status: "done", text: "ok" }, 1],
    ["deny", { status: "done", termination: { type: "stopped", value: { code: "review_denied" } } }, 0],
  ] as const)("asks nothing of the model before a person has decided (%s)", async (action, expected, asked) => {
    isAsked = false;
    const { outcome, runtime, model, run } = await playPlugins([asking], { script: turns("ok") });
    expect(model.requests).toHaveLength(0);
    const [question] = outcome.status === "waiting" ? outcome.open : [];
    await expect(
      runtime.decisions.decide(question?.id ?? "", { action: "edit", arguments: { text: "x" } }),
    ).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    await runtime.decisions.decide(question?.id ?? "", { action });
    expect(await soon(run.outcome())).toMatchObject(expected);
    expect(model.requests).toHaveLength(asked);
  });
});

it("hears an end before a question, and a question before another attempt", async () => {
  const actions = [retryInference("x"), suspendStep({ action: "ask" })] as const;
  const asked = await playPlugins([judge(() => actions)], { script: turns("a") });
  expect(asked.outcome).toMatchObject({ status: "waiting" });
  const ended = await playPlugins([judge(() => [...actions, terminateRun("done")])], { script: turns("a") });
  expect(ended.outcome).toMatchObject({ status: "done", termination: { detail: "done" } });
});

describe("a verified replay", () => {
  const JUDGES: readonly (readonly [string, Judge])[] = [
    ["replaces a text", (context) => (isSecret(context) ? [replaceText(clean)] : [])],
    ["rejects an answer twice", ({ attempt }) => (attempt < 3 ? [retryInference("Again.")] : [])],
    ["asks about an answer", (context) => (isSecret(context) ? [suspendStep({ action: "ask" })] : [])],
    ["ends the run with another text", () => [replaceText(clean), terminateRun()]],
  ];

  it.each(JUDGES.flatMap(([name, hook]) => [false, true].map((held) => [name, held, hook] as const)))(
    "has every answer of a run whose plugin %s (held: %s)",
    async (_, held, hook) => {
      const { tool } = countingTool();
      const reasoning = { reasoning: "Hm." } as const;
      const script = turns([reasoning, TELL, ADD], [reasoning, TELL, ADD], [TELL, ADD], "ok", "ok", "ok");
      const options = { tools: [tool], agent: { plugins: [judge(hook, { held })] }, script };
      const { verify } = await record(options, async ({ runtime }, run) => {
        for (;;) {
          const outcome = await soon(run.outcome());
          if (outcome.status !== "waiting") return;
          for (const { id } of outcome.open) await runtime.decisions.decide(id, { action: "approve" });
        }
      });
      expect(await verify()).toMatchObject({ equal: true });
    },
  );
});

const POINTS = Array.from({ length: 7 }, (_, index) => index + 1);

it.each(POINTS)(
  "a process that dies at its point %i leaves an answer that is asked about once and published once",
  async (nth) => {
    const world = createWorld();
    const plugin = judge((context) => (isSecret(context) ? [suspendStep({ action: "ask" })] : []), { held: true });
    const { tool, keys } = countingTool({ idempotent: true });
    const script: Script = ({ messages }) => (messages.some(({ role }) => role === "tool") ? "ok" : [TELL, ADD]);
    const dying = crashAtPoint(world, nth);
    const first = await openPlugins([plugin], { world, env: dying.env, store: dying.store, tools: [tool], script });
    first.runtime.start({ agent: "agent", threadId: "t1", input: "go" }).catch(() => undefined);
    await settle();
    const second = await openPlugins([plugin], { world, tools: [tool], script });
    const pass = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) {
        await settle();
        await world.env.advance(1_000);
      }
    };
    await pass();
    const open = await second.runtime.decisions.list({ threadId: "t1" });
    expect(open).toHaveLength(1);
    await second.runtime.decisions.decide(open[0]?.id ?? "", { action: "approve" });
    await pass();
    const [run] = (await second.runtime.runs()).items;
    expect(run).toMatchObject({ status: "done", termination_code: "natural" });
    expect(keys).toHaveLength(1);
    await assertConsistent(second.tenant, "t1");
  },
);
