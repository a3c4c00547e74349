import type { PoolSizes } from "@reprise/runtime";
import fc from "fast-check";
import { type Caps, KINDS, type PlannedCall, type ToolName } from "./plan.ts";

export const ALL_TOOLS: readonly ToolName[] = ["look", "scan", "write", "edit", "push", "send", "delegate", "ghost"];

type End = NonNullable<PlannedCall["end"]>;

export interface CallOptions {
  readonly tools?: readonly ToolName[];
  /** Ways to end other than well; half of the calls end well. */
  readonly ends?: readonly End[];
  readonly when?: readonly NonNullable<PlannedCall["when"]>[];
  readonly longest?: number;
}

export function calls({
  tools = ALL_TOOLS,
  ends = [],
  when = ["cancel"],
  longest = 6,
}: CallOptions = {}): fc.Arbitrary<PlannedCall> {
  return fc
    .record({
      tool: fc.constantFrom(...tools),
      ms: fc.integer({ min: 1, max: longest }),
      end:
        ends.length === 0 ? fc.constant(undefined) : fc.option(fc.constantFrom(...ends), { nil: undefined, freq: 2 }),
      when: fc.constantFrom(...when),
    })
    .map(({ tool, ms, end, when }) => {
      const isMissing = KINDS[tool] === "missing";
      return { tool, ms, ...(end !== undefined && { end }), ...(when !== "cancel" && !isMissing && { when }) };
    });
}

export function plans(options: CallOptions = {}, maxLength = 8): fc.Arbitrary<readonly PlannedCall[]> {
  return fc.array(calls(options), { minLength: 1, maxLength });
}

/** Plans with agents below, and agents below those. */
export function trees(options: CallOptions, depth: number, width = 3): fc.Arbitrary<readonly PlannedCall[]> {
  const leaf = calls(options);
  if (depth === 0) return fc.array(leaf, { minLength: 1, maxLength: width });
  const branch = fc.record({
    tool: fc.constantFrom<ToolName>("delegate", "assign"),
    ms: fc.integer({ min: 1, max: 3 }),
    below: fc.array(trees(options, depth - 1, width), { minLength: 1, maxLength: 2 }),
  });
  const mixed = fc.oneof({ weight: 2, arbitrary: branch }, { weight: 1, arbitrary: leaf });
  return fc.array(mixed, { minLength: 1, maxLength: width });
}

export const poolSizes: fc.Arbitrary<PoolSizes> = fc.record({
  read: fc.integer({ min: 1, max: 4 }),
  serial: fc.constant(1),
  concurrent: fc.integer({ min: 1, max: 4 }),
});

/** Limits of single tools; half of the time there is none. */
export const toolCaps: fc.Arbitrary<Caps> = fc
  .record({
    scan: fc.option(fc.integer({ min: 1, max: 3 })),
    send: fc.option(fc.integer({ min: 1, max: 3 })),
    assign: fc.option(fc.integer({ min: 1, max: 2 })),
  })
  .map((caps) => Object.fromEntries(Object.entries(caps).filter(([, max]) => max !== null)));
