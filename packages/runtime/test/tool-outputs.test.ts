import { setToolResult, textOf } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { record } from "./replay-support/record.ts";
import { countingTool } from "./support/tools.ts";

class Row {
  readonly id = 7;
  readonly made: Date = new Date(0);
  readonly deleted: Date | undefined = undefined;
}

class Money {
  readonly #cents = 250;
  toJSON(): unknown {
    return { euros: this.#cents / 100, at: new Date(0), note: undefined };
  }
}

async function outputOf(returned: unknown) {
  const { tool } = countingTool({ execute: () => returned });
  const bench = await record({ script: [[{ call: "add", arguments: { title: "x" } }], "ok"], tools: [tool] });
  expect(bench.outcome).toMatchObject({ status: "done", text: "ok" });
  expect(await bench.verify()).toMatchObject({ equal: true });
  const [call] = (await bench.tenant.listCalls({ thread_id: "t1" })).items;
  return { status: call?.status, said: textOf(bench.model.requests[1]?.messages.at(-1) ?? { content: "" }) };
}

const looped: Record<string, unknown> = {};
looped.self = [looped];

describe("issue 14.19: what a tool returns", () => {
  it("is read in the same way when a plugin answers for it, also in a replay", async () => {
    for (const answer of [{ at: new Date(0), u: undefined }, { at: () => 1 }]) {
      const { tool } = countingTool();
      const plugin = definePlugin({
        id: "p",
        hooks: { beforeToolExecute: () => [setToolResult(answer as never)] },
      });
      const script = [[{ call: "add", arguments: { title: "x" } }], "ok"];
      const { outcome, verify, model } = await record({ script, tools: [tool], agent: { plugins: [plugin] } });
      expect(outcome).toMatchObject({ status: "done", text: "ok" });
      expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/^\{"at":"1970|output\.at is a function/);
      expect(await verify()).toMatchObject({ equal: true });
    }
  });

  it.each<readonly [string, unknown, unknown]>([
    ["undefined properties", { a: 1, u: undefined }, { a: 1 }],
    ["a Date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["a row of an ORM", [new Row()], [{ id: 7, made: "1970-01-01T00:00:00.000Z" }]],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["toJSON", { price: new Money() }, { price: { euros: 2.5, at: "1970-01-01T00:00:00.000Z" } }],
    ["a URL", new URL("https://a.test/b"), "https://a.test/b"],
    ["the same object twice", [{ a: 1 }].flatMap((same) => [same, same]), [{ a: 1 }, { a: 1 }]],
  ])("succeeds with %s", async (_, returned, expected) => {
    const { status, said } = await outputOf(returned);
    expect(status).toBe("succeeded");
    expect(typeof expected === "string" ? said : JSON.parse(said)).toEqual(expected);
  });

  it.each<readonly [string, unknown, string]>([
    ["a function", { rows: [{ at: () => 1 }] }, "output.rows[0].at is a function"],
    ["a bigint", { id: 1n }, "output.id is a bigint"],
    ["NaN", [1, Number.NaN], "output[1] is NaN"],
    ["undefined in a list", [1, undefined], "output[1] is undefined"],
    ["a Map", { "by name": new Map() }, 'output["by name"] is of the type Map'],
    ["an Error", new Error("no"), "output is of the type Error"],
    ["an invalid Date", { at: new Date(Number.NaN) }, "output.at is an invalid Date"],
    ["a circle", looped, "output.self[0] refers back to what it is in"],
    [
      "a getter that throws",
      {
        get broken(): never {
          throw new Error("away");
        },
      },
      "output.broken threw: away",
    ],
  ])("fails with the place of %s", async (_, returned, problem) => {
    const { status, said } = await outputOf(returned);
    expect(status).toBe("failed");
    const message = `Tool add was executed, but what it returned is not JSON: ${problem}.`;
    expect(JSON.parse(said)).toEqual({ error: { code: "invalid_output", message } });
  });
});
