import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  advanceRun,
  advanceToolCall,
  isTerminal,
  nextStatus,
  RepriseError,
  RUN_TRANSITIONS,
  TOOL_CALL_TRANSITIONS,
  type TransitionTable,
} from "../index.ts";

const MACHINES: readonly [name: string, table: TransitionTable<string, string>, initial: string][] = [
  ["run", RUN_TRANSITIONS, "running"],
  ["tool call", TOOL_CALL_TRANSITIONS, "new"],
];

describe.each(MACHINES)("the %s lifecycle", (_, table, initial) => {
  const triggers = [...new Set(Object.values(table).flatMap((row) => Object.keys(row)))];
  const reachableFrom = (start: string): Set<string> => {
    const seen = new Set([start]);
    for (const status of seen) for (const next of Object.values(table[status] ?? {})) seen.add(next ?? status);
    return seen;
  };

  it("reaches every status", () => {
    expect([...reachableFrom(initial)].toSorted()).toEqual(Object.keys(table).toSorted());
  });

  it("can end from every status", () => {
    for (const status of Object.keys(table)) {
      expect([...reachableFrom(status)].some((next) => isTerminal(table, next))).toBe(true);
    }
  });

  it("never leaves a terminal status, whatever is tried", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...triggers), { maxLength: 30 }), (attempts) => {
        let status = initial;
        for (const trigger of attempts) {
          const next = nextStatus(table, status, trigger);
          if (isTerminal(table, status)) expect(next).toBeUndefined();
          status = next ?? status;
        }
      }),
    );
  });
});

describe("advancing", () => {
  it("returns a new record and leaves the old one", () => {
    const call = { call_id: "c1", status: "new" } as const;
    expect(advanceToolCall<{ call_id: string; status: "new" | "running" }>(call, "start")).toEqual({
      call_id: "c1",
      status: "running",
    });
    expect(call.status).toBe("new");
  });

  it("refuses a step the table does not have, and says what is true", () => {
    expect(() => advanceRun({ run_id: "r1", status: "done" }, "resume")).toThrow("Cannot resume run r1: it is done.");
    try {
      advanceToolCall({ call_id: "c1", status: "succeeded" }, "fail");
    } catch (error) {
      expect(RepriseError.is(error, "ILLEGAL_TRANSITION")).toBe(true);
    }
  });
});
