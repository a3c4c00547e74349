import { changeState, type ModelRequest, RepriseError, textOf, toolEffect } from "@reprise/contracts";
import { type ReminderRule, reminder, reminders } from "@reprise/plugins/reminder";
import { defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { openAgent } from "./support/open-agent.ts";

const note = defineTool({
  id: "note",
  description: "Notes something.",
  class: "read_only",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }: { text: string }) => toolEffect({ noted: text }, [changeState(reminders.add(text))]),
});
const dig = defineTool({
  id: "dig",
  description: "Digs.",
  execute: () => {
    throw new Error("hit a stone");
  },
});
const noting = (text: string) => ({ call: "note", arguments: { text } }) as const;

/** The texts that the plugin added to the last message of a request. */
function toldIn({ messages }: ModelRequest): readonly string[] {
  const text = textOf(messages.at(-1) ?? { content: "" });
  return [...text.matchAll(/<(?:context|reminder) source="plugin:reminder">\n(.*?)\n<\/(?:context|reminder)>/gs)].map(
    ([, told]) => told ?? "",
  );
}

describe("reminders of the thread", () => {
  it("reach the model with the next request and are cleared when it has answered", async () => {
    const { run, model, runtime, verify } = await openAgent({
      plugins: [reminder()],
      tools: [note],
      script: [[noting("Call Alice at 3pm")], [noting("Water the plants")], "ok", "hello"],
    });
    const first = await run();
    await run();
    expect(model.requests.map(toldIn)).toEqual([
      [],
      ["Reminder: Call Alice at 3pm"],
      ["Reminder: Water the plants"],
      [],
    ]);
    expect(await runtime.threads.state("t1")).toMatchObject({ reminders: { items: [] } });
    expect(await verify(first)).toMatchObject({ equal: true });
  });

  it("stay until they are removed when they are not cleared", async () => {
    const { run, model, verify } = await openAgent({
      plugins: [reminder({ clearAfterLlmRequest: false })],
      tools: [note],
      script: [[noting("Be kind")], "ok", "ok"],
    });
    await run();
    const second = await run();
    expect(model.requests.map(toldIn)).toEqual([[], ["Reminder: Be kind"], ["Reminder: Be kind"]]);
    expect(await verify(second)).toMatchObject({ equal: true });
  });

  it("are kept once each, also when parallel calls add them", async () => {
    const { run, model, runtime } = await openAgent({
      plugins: [reminder({ clearAfterLlmRequest: false })],
      tools: [note],
      script: [[noting("b"), noting("a"), noting(" b "), noting("  ")], "ok"],
    });
    await run();
    expect(await runtime.threads.state("t1")).toMatchObject({ reminders: { items: ["a", "b"] } });
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === "tool")).toHaveLength(4);
    expect(model.requests.map(toldIn).at(-1)).toEqual(["Reminder: a", "Reminder: b"]);
  });

  it("survive a request that fails", async () => {
    const { run, runtime } = await openAgent({
      plugins: [reminder()],
      tools: [note],
      script: [[noting("Call Alice")], [{ fail: "auth" }]],
    });
    expect(await run()).toMatchObject({ status: "failed" });
    expect(await runtime.threads.state("t1")).toMatchObject({ reminders: { items: ["Call Alice"] } });
  });
});

describe("rules", () => {
  const STONE: ReminderRule = { tool: "di*", outcome: "failed", contains: "stone", text: "Use the drill." };

  it("remind after the results they are about", async () => {
    const others: ReminderRule[] = [
      { tool: "di*", contains: "gold", text: "Tell the boss." },
      { tool: "di*", outcome: "succeeded", text: "Well done." },
      { tool: "no", text: "Not a whole id." },
      { tool: "note", contains: "shovel", text: "Shovels are in the shed." },
      { tool: 'note(text ~ "*gold*")', text: "Gold goes to the bank." },
      { tool: "*", outcome: "missing", text: "Use the tools you have." },
    ];
    const { run, model, verify } = await openAgent({
      plugins: [reminder({ rules: [STONE, ...others] })],
      tools: [note, dig],
      script: [[{ call: "dig" }], [noting("a shovel")], [{ call: "blast" }], "ok"],
    });
    const outcome = await run();
    const rules = model.requests.map((request) => toldIn(request).filter((text) => !text.startsWith("Reminder:")));
    expect(rules.slice(0, 2)).toEqual([[], ["Use the drill."]]);
    const whole = JSON.stringify(model.requests.at(-1)?.messages);
    expect(whole).toContain("Shovels are in the shed.");
    expect(whole).toContain("Use the tools you have.");
    for (const text of ["Tell the boss.", "Gold goes to the bank.", "Well done.", "Not a whole id."])
      expect(whole).not.toContain(text);
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });

  it("wait for their cooldown, across runs, before they repeat a text", async () => {
    const { run, model, verify } = await openAgent({
      plugins: [reminder({ rules: [{ ...STONE, cooldownTurns: 3 }] })],
      tools: [dig],
      script: [[{ call: "dig" }, { call: "dig" }], [{ call: "dig" }], "ok", [{ call: "dig" }], "ok"],
    });
    await run();
    const second = await run();
    const told = model.requests.map((request) => toldIn(request).length);
    // Once in the first turn, though two calls fit; not in the second; again in the fourth.
    expect(told).toEqual([0, 1, 0, 0, 1]);
    expect(await verify(second)).toMatchObject({ equal: true });
  });
});

it("takes its settings from a configuration file", async () => {
  const rules = [{ tool: "dig", text: "Use the drill.", cooldown_turns: 1 }];
  const { run, model, verify } = await openAgent({
    configured: {
      plugin_ids: ["reminder"],
      sections: { reminder: { clear_after_llm_request: false, rules } },
      allowed_tools: ["dig", "note"],
    },
    tools: [note, dig],
    script: [[noting("Be kind"), { call: "dig" }], "ok"],
  });
  const outcome = await run();
  const asked = JSON.stringify(model.requests.at(-1)?.messages);
  expect(asked).toContain("Use the drill.");
  expect(asked).toContain("Reminder: Be kind");
  expect(await verify(outcome)).toMatchObject({ equal: true });
});

it("refuses a rule that cannot be meant, and names it", () => {
  const refused = (rule: object) => () => reminder({ rules: [rule as ReminderRule] });
  expect(refused({ tool: "dig" })).toThrow("rules[0].text");
  expect(refused({ tool: "dig(", text: "x" })).toThrow("rules[0].tool");
  expect(refused({ tool: "dig", text: "x", outcome: "done" })).toThrow(RepriseError);
});
