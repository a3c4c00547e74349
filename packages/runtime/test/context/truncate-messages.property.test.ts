import type { Message } from "@reprise/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Truncated, truncateMessages } from "../../src/context/truncate-messages.ts";

/** A thread: turns of a user, rounds of parallel calls with their results in any order, answers, notes of plugins, system messages. */
const pieces = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: "user" } as const) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("round" as const), calls: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 2, arbitrary: fc.constant({ kind: "answer" } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "note" } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "system" } as const) },
    // A result whose call is gone, and one that comes after other words.
    { weight: 1, arbitrary: fc.constant({ kind: "orphan" } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "late" } as const) },
  ),
  { minLength: 1, maxLength: 30 },
);

type Piece = typeof pieces extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

const message = (id: string, role: Message["role"], more: Partial<Message> = {}): Message => ({
  id,
  role,
  content: id,
  ...more,
});

function write(piece: Piece, at: number): readonly Message[] {
  switch (piece.kind) {
    case "round": {
      const calls = Array.from({ length: piece.calls }, (_, index) => ({
        id: `c${at}.${index}`,
        name: "t",
        arguments: {},
      }));
      const results = calls.map(({ id }) => message(`r-${id}`, "tool", { tool_call_id: id }));
      return [
        message(`a${at}`, "assistant", { tool_calls: calls }),
        ...(at % 2 === 0 ? results.toReversed() : results),
      ];
    }
    case "late": {
      const call = { id: `c${at}`, name: "t", arguments: {} };
      const asked = message(`a${at}`, "assistant", { tool_calls: [call] });
      return [asked, message(`u${at}`, "user"), message(`r${at}`, "tool", { tool_call_id: call.id })];
    }
    case "orphan":
      return [message(`r${at}`, "tool", { tool_call_id: "gone" })];
    case "note":
      return [message(`n${at}`, "user", { visibility: "internal" })];
    case "answer":
      return [message(`a${at}`, "assistant")];
    default:
      return [message(`${piece.kind[0]}${at}`, piece.kind)];
  }
}

const threads: fc.Arbitrary<Drawn> = fc.record({
  // Some threads have nobody's words in them.
  messages: fc
    .tuple(pieces, fc.boolean())
    .map(([list, isSilent]) => list.flatMap(write).filter(({ role }) => role !== "user" || !isSilent)),
  sizes: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 150, maxLength: 150 }),
  minRecent: fc.integer({ min: 1, max: 12 }),
  room: fc.nat(2000),
  more: fc.nat(500),
});

interface Drawn {
  readonly messages: readonly Message[];
  readonly sizes: readonly number[];
  readonly minRecent: number;
  readonly room: number;
  readonly more: number;
}

function truncate({ messages, sizes, minRecent }: Drawn, room: number): Truncated & { readonly fits: boolean } {
  const sizeById = new Map(messages.map(({ id }, index) => [id, sizes[index % sizes.length] ?? 1]));
  const sizeOf = ({ id }: Message): number => sizeById.get(id) ?? 1;
  const truncated = truncateMessages(messages, { tokens: room, minRecent, sizeOf });
  expect(truncated.tokens).toBe(truncated.messages.reduce((sum, each) => sum + sizeOf(each), 0));
  return { ...truncated, fits: truncated.tokens <= room };
}

/** Cheap laws: more often than usual, and as often as a fuzz run asks for. */
const numRuns = Math.max(500, fc.readConfigureGlobal().numRuns ?? 0);
const check = (law: (drawn: Drawn) => void): void => fc.assert(fc.property(threads, law), { numRuns });
const idsOf = (messages: readonly Message[]): readonly string[] => messages.map(({ id }) => id);

describe("whatever the thread and the room", () => {
  it("keeps the order, counts what it left out, and leaves all of it when all of it fits", () => {
    check((drawn) => {
      const { messages, dropped, fits } = truncate(drawn, drawn.room);
      const kept = new Set(messages);
      expect(messages).toEqual(drawn.messages.filter((each) => kept.has(each)));
      expect(dropped).toBe(drawn.messages.length - messages.length);
      const whole = truncate(drawn, Number.MAX_SAFE_INTEGER);
      expect(whole.messages).toBe(drawn.messages);
      if (fits && whole.tokens <= drawn.room) expect(dropped).toBe(0);
    });
  });

  it("keeps the newest messages, every system message and the user's last words", () => {
    check((drawn) => {
      const kept = new Set(idsOf(truncate(drawn, drawn.room).messages));
      const users = drawn.messages.filter(({ role }) => role === "user");
      const due = [
        ...drawn.messages.slice(-drawn.minRecent),
        ...drawn.messages.filter(({ role }) => role === "system"),
        ...users.slice(-1),
        ...users.filter(({ visibility }) => visibility === undefined).slice(-1),
      ];
      expect(idsOf(due).filter((id) => !kept.has(id))).toEqual([]);
    });
  });

  it("never splits a message with calls from any of its results", () => {
    check((drawn) => {
      const kept = new Set(idsOf(truncate(drawn, drawn.room).messages));
      for (const { id, tool_calls = [] } of drawn.messages) {
        const calls = new Set(tool_calls.map((call) => call.id));
        const results = drawn.messages.filter(({ tool_call_id = "" }) => calls.has(tool_call_id));
        expect(results.map((result) => kept.has(result.id))).toEqual(results.map(() => kept.has(id)));
      }
    });
  });

  it("begins with a user's words when something was left out and there are any, and never with a result", () => {
    check((drawn) => {
      const { messages, dropped } = truncate(drawn, drawn.room);
      if (dropped === 0) return;
      const first = messages.find(({ role }) => role !== "system");
      const hasUser = drawn.messages.some(({ role }) => role === "user");
      expect(first?.role).not.toBe("tool");
      if (hasUser) expect(first?.role).toBe("user");
    });
  });

  it("does nothing more when it is done again", () => {
    check((drawn) => {
      const once = truncate(drawn, drawn.room);
      if (!once.fits) return;
      const again = truncate({ ...drawn, messages: once.messages, sizes: sizesOf(drawn, once.messages) }, drawn.room);
      expect(again.messages).toBe(once.messages);
    });
  });

  it("keeps no less, and fits no worse, in more room", () => {
    check((drawn) => {
      const [less, more] = [truncate(drawn, drawn.room), truncate(drawn, drawn.room + drawn.more)];
      const kept = new Set(more.messages);
      expect(less.messages.filter((each) => !kept.has(each))).toEqual([]);
      if (less.fits) expect(more.fits).toBe(true);
    });
  });

  it("leaves out no more than it must: one unit more would not fit", () => {
    check((drawn) => {
      const cut = truncate(drawn, drawn.room);
      if (!cut.fits || cut.dropped === 0) return;
      for (let room = drawn.room + 1; room <= drawn.room + 2500; room += 1) {
        const wider = truncate(drawn, room);
        if (wider.messages.length === cut.messages.length) continue;
        expect(wider.tokens).toBeGreaterThan(drawn.room);
        return;
      }
    });
  });
});

/** The sizes of some of the messages, in their new order. */
function sizesOf({ messages, sizes }: Drawn, kept: readonly Message[]): readonly number[] {
  return kept.map((each) => sizes[messages.indexOf(each) % sizes.length] ?? 1);
}
