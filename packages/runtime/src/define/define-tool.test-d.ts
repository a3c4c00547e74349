import { suspendTool, type Tool, toolEffect } from "@reprise/contracts";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineTool } from "./define-tool.ts";

interface Row {
  readonly id: number;
  readonly name?: string;
  readonly made: Date;
  readonly tags: readonly string[];
}

const row: Row = { id: 1, made: new Date(0), tags: [] };
const base = { id: "t", description: "T." } as const;

describe("issue 14.19: the type of a tool's output", () => {
  it("takes what JSON can say: interfaces, dates, optional properties, toJSON, nothing, and marked results", () => {
    const tool = defineTool({ ...base, execute: () => row });
    expectTypeOf(tool).toEqualTypeOf<Tool<Row>>();
    defineTool({ ...base, execute: async () => ({ rows: [row], u: undefined, n: null }) });
    defineTool({ ...base, execute: () => undefined });
    defineTool({ ...base, execute: () => console.log("") });
    defineTool({ ...base, execute: (): unknown => new Map() });
    defineTool({ ...base, execute: () => new URL("https://a.test") });
    defineTool({ ...base, execute: () => toolEffect({ a: 1 }, []) });
    defineTool({ ...base, execute: () => (Math.random() > 1 ? suspendTool({ action: "ask" }) : "done") });
    defineTool({ ...base, inputSchema: z.object({ a: z.string() }), execute: ({ a }, { now }) => ({ a, now }) });
  });

  it("refuses functions, maps, sets, errors, bytes and bigints, however deep", () => {
    // @ts-expect-error a Map loses its content
    defineTool({ ...base, execute: () => new Map([["a", 1]]) });
    // @ts-expect-error a function is not JSON
    defineTool({ ...base, execute: () => ({ next: { call: () => 1 } }) });
    // @ts-expect-error nor in a promise
    defineTool({ ...base, execute: async () => ({ found: [new Set([1])] }) });
    // @ts-expect-error a bigint is not JSON
    defineTool({ ...base, execute: () => ({ id: 1n }) });
    // @ts-expect-error an Error loses its message
    defineTool({ ...base, execute: () => new Error("no") });
    // @ts-expect-error bytes belong in a blob
    defineTool({ ...base, execute: () => ({ bytes: new Uint8Array(1) }) });
  });
});
