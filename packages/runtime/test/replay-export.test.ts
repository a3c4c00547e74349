import { type Changeset, RepriseError } from "@reprise/contracts";
import { definePlugin, type ReplayResult, type RunRecording, replayExport } from "@reprise/runtime";
import { createFakeEnv } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { record } from "./replay-support/record.ts";
import { reseal } from "./replay-support/reseal.ts";
import { countingTool } from "./support/tools.ts";
import { soon } from "./support/wait.ts";

const ADD = { call: "add", arguments: { title: "x" } } as const;
const quiet = definePlugin({ id: "quiet", sections: { quiet: {} }, hooks: { beforeToolExecute: () => undefined } });

/** A run with a tool and a plugin, as the text of one file. */
async function exported(): Promise<string> {
  const { tool } = countingTool();
  const agent = { plugins: [quiet], instructions: "Count to three.", sections: { quiet: { key: "sk-123" } } };
  const { runtime, run } = await record({ tools: [tool], agent, script: [[{ text: "Hm." }, ADD], "done"] });
  return JSON.stringify(await runtime.exportRun(run.id));
}

const verify = (value: unknown): Promise<ReplayResult> => soon(replayExport(value, { env: createFakeEnv() }));

describe("an exported run", () => {
  it("replays where there is no store and no agent, from its text or its value, again and again the same", async () => {
    const text = await exported();
    const result = await verify(text);
    expect(result).toMatchObject({ equal: true, versions: 4 });
    expect(await verify(JSON.parse(text))).toEqual(result);
  });

  it("holds what the agent was told, and no settings of plugins and models", async () => {
    const text = await exported();
    expect(text).toContain("Count to three.");
    expect(text).not.toContain("sk-123");
  });

  it("is asked with today's agents when they are given, and is refused when its own is not among them", async () => {
    const options = { env: createFakeEnv(), mode: "reexecute", agents: [] } as const;
    await expect(replayExport(await exported(), options)).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
  });

  it.each([
    ["nothing", undefined],
    ["no JSON", "{"],
    ["a list", []],
    ["something else", { format: "other" }],
    ["a function", () => undefined],
    ["half of one", { format: "reprise-run/3", run: { run_id: "r" } }],
  ])("is refused, typed, when it is %s", async (_, value) => {
    await expect(verify(value)).rejects.toMatchObject({ code: "REPLAY_IMPOSSIBLE" });
  });

  it("is refused, or differs, whatever part of it is damaged, and never harms the process", async () => {
    const text = await exported();
    const whole = JSON.parse(text) as RunRecording;
    for (const key of Object.keys(whole)) {
      for (const value of [null, [], {}, 7, "x"]) {
        const result = await verify({ ...whole, [key]: value }).catch((error: unknown) => error);
        const isTyped = RepriseError.is(result) && result.code !== "INTERNAL";
        expect([key, value, isTyped || (result as ReplayResult).run_id === whole.run.run_id]).toEqual([
          key,
          value,
          true,
        ]);
      }
    }
    for (let index = 0; index < whole.changesets.length; index += 1) {
      for (const key of Object.keys(whole.changesets[index] ?? {})) {
        const changesets = whole.changesets.map((each, place) => (place === index ? { ...each, [key]: [null] } : each));
        const result = await verify({ ...whole, changesets }).catch((error: unknown) => error);
        const isHarmless = RepriseError.is(result)
          ? result.code !== "INTERNAL"
          : typeof (result as ReplayResult).equal === "boolean";
        expect([index, key, isHarmless]).toEqual([index, key, true]);
      }
    }
  });
});

describe("a changed recording is found where it was changed, also when its digests are made to fit", () => {
  type Change = (changeset: Changeset) => Partial<Changeset>;
  const cases: readonly [what: string, version: number, index: number, change: Change][] = [
    [
      "message",
      2,
      0,
      ({ messages }) => ({ messages: messages.map((message) => ({ ...message, content: "I said no such thing." })) }),
    ],
    ["message", 3, 0, ({ messages }) => ({ messages: messages.map((message) => ({ ...message, content: "forged" })) })],
    ["patch", 3, 0, ({ patches }) => ({ patches: patches.map((patch) => ({ ...patch, source: "tool:other" })) })],
    [
      "event",
      4,
      5,
      ({ events }) => ({
        events: events.map((event) => (event.type === "step_end" ? { ...event, step_id: "x" } : event)),
      }),
    ],
    ["call", 3, 0, ({ calls }) => ({ calls: calls.map((call) => ({ ...call, status: "failed" as const })) })],
    ["run", 2, 0, ({ runs }) => ({ runs: runs.map((run) => ({ ...run, input_tokens: 99 })) })],
    [
      "message",
      1,
      0,
      ({ messages }) => ({ messages: messages.map((message) => ({ ...message, content: "something else" })) }),
    ],
    ["commit", 4, 0, () => ({ reasons: ["tool_results"] })],
  ];

  it.each(cases)("%s at version %i", async (what, version, index, change) => {
    const whole = JSON.parse(await exported()) as RunRecording;
    const changesets = whole.changesets.map((each) => (each.version === version ? { ...each, ...change(each) } : each));
    expect(await verify({ ...whole, changesets })).toMatchObject({
      equal: false,
      divergence: { version, what: "digest", index: 0 },
    });
    expect(await verify(reseal({ ...whole, changesets }))).toMatchObject({
      equal: false,
      divergence: { version, what, index },
    });
  });

  it("but for the times at which events were shown, which only their digests cover", async () => {
    const whole = JSON.parse(await exported()) as RunRecording;
    const changesets = whole.changesets.map((each) => ({
      ...each,
      events: each.events.map((event) => ({ ...event, timestamp_ms: 7 })),
    }));
    expect(await verify({ ...whole, changesets })).toMatchObject({ equal: false });
    expect(await verify(reseal({ ...whole, changesets }))).toMatchObject({ equal: true });
  });

  it("and a commit that is missing is missed", async () => {
    const whole = JSON.parse(await exported()) as RunRecording;
    const changesets = whole.changesets.filter(({ version }) => version !== 3);
    expect(await verify({ ...whole, changesets })).toMatchObject({ equal: false, divergence: { version: 4 } });
    expect(await verify(reseal({ ...whole, changesets }))).toMatchObject({ equal: false, divergence: { version: 4 } });
  });
});
