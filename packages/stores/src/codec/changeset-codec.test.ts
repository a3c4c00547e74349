import { type AgentEvent, type Changeset, contentDigest, emptyChangeset, type Message } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hashText } from "../kernel/hash-text.ts";
import { type CommitColumns, toCommitColumns } from "./columns/commit-columns.ts";
import { openCommit } from "./open-commit.ts";
import { sealChangeset } from "./seal-changeset.ts";

const RUN = "0190-run";

/** Strings that break careless codecs, and those that this one uses for itself. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "~", "~r", "~t", "~0", "~~", '"~r', '"~', RUN, `${RUN}-m1`, `"${RUN}`, "thread-1", "thread-10"),
  fc.constantFrom(
    "$0",
    "$",
    '"$0',
    '"type',
    "running",
    "\u0000",
    "\ud83d",
    "__proto__",
    "a".repeat(40),
    `${"a".repeat(40)}"type`,
  ),
);
const json = fc
  .oneof(
    fc.jsonValue(),
    fc.constant(JSON.parse('{"__proto__":{"x":1},"$0":"~0","run_id":"~r","~t":"\\"~t","thread-1":1}')),
    text,
  )
  .map((value): Json => JSON.parse(JSON.stringify(value)));

const message = fc.record(
  {
    role: fc.constantFrom("user", "assistant", "tool"),
    content: fc.oneof(
      text,
      fc.array(fc.record({ type: fc.constantFrom("text", "reasoning"), text }), { maxLength: 2 }),
    ),
    tool_calls: fc.array(fc.record({ id: text, name: text, arguments: json }), { maxLength: 2 }),
    visibility: fc.constant("internal"),
    metadata: fc.record(
      { run_id: fc.constantFrom(RUN, "other"), step_index: fc.oneof(fc.nat(), json), extra: json },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["role", "content"] },
);

/** Deltas that spell the texts of the messages, in pieces of any length, under two runs. */
function deltasOf(messages: readonly Message[], size: number, runIds: readonly string[]): readonly AgentEvent[] {
  const said = messages.flatMap(({ content }) =>
    typeof content === "string" ? [content] : content.map((part) => ("text" in part ? part.text : "")),
  );
  const pieces = said.flatMap((whole) => whole.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? []);
  const seqs = new Map<string, number>();
  return pieces.map((delta, index) => {
    const run_id = runIds[index % runIds.length] ?? RUN;
    const seq = (seqs.get(run_id) ?? 0) + 1;
    seqs.set(run_id, seq);
    const timestamp_ms = 1_750_000_000_000 + index * 7;
    return {
      type: "text_delta",
      run_id,
      thread_id: "thread-1",
      seq,
      timestamp_ms,
      step_id: `${run_id}-s1`,
      data: { delta },
    };
  });
}

const changeset = fc
  .record({
    messages: fc.array(message, { maxLength: 3 }),
    size: fc.integer({ min: 1, max: 9 }),
    runs: fc.constantFrom(
      { run_id: RUN, runIds: [RUN] },
      { run_id: RUN, runIds: [RUN, "other"] },
      { run_id: null, runIds: ["other"] },
    ),
    values: fc.array(json, { maxLength: 3 }),
  })
  .map(({ messages, size, runs: { run_id, runIds }, values }): Changeset => {
    // Generated values have the shape of messages; the codec looks at no more than that.
    const brought = messages.map((one, index) => ({ id: `${RUN}-m${index}`, ...one })) as readonly Message[];
    return {
      ...emptyChangeset("thread-1", run_id, "changeset-1"),
      reasons: ["assistant_turn"],
      messages: brought,
      events: deltasOf(brought, size, runIds),
      patches: values.map((value, index) => ({ id: `${RUN}-p${index}`, ops: [{ op: "set", path: ["k"], value }] })),
      effects: values.map((value) => ({ kind: "n", of: RUN, attempt: 1, value })),
      supersedes: values.length > 1 ? ["~old"] : [],
    };
  });

function store(given: Changeset): readonly CommitColumns[] {
  const changeset = sealChangeset(given);
  return toCommitColumns({
    write: "commit",
    version: 3,
    first_position: 0,
    epoch: 1,
    digest: "d",
    changeset,
    new_calls: [],
  });
}

it("opens exactly what was sealed", () => {
  fc.assert(
    fc.property(changeset, (given) => {
      const opened = openCommit(store(given), given.thread_id);
      expect(opened).toEqual({ ...given, version: 3, digest: "d" });
      expect(JSON.stringify(opened.events)).toBe(JSON.stringify(given.events));
    }),
  );
});

it("gives what was opened the digest of what was sealed, in whichever order its fields stand", () => {
  fc.assert(
    fc.property(changeset, (given) => {
      const { version: _version, digest: _digest, ...opened } = openCommit(store(given), given.thread_id);
      const backwards = Object.fromEntries(Object.entries(opened).reverse());
      const { content } = sealChangeset(given);
      expect(contentDigest(opened, hashText)).toBe(content);
      // The same fields.
      expect(contentDigest(backwards as unknown as Changeset, hashText)).toBe(content);
    }),
  );
});

it("writes nothing a database could object to", () => {
  fc.assert(
    fc.property(changeset, (given) => {
      for (const { messages, calls, patches, events, rest } of store(given)) {
        for (const written of [messages, calls, patches, events, rest]) {
          expect(written.isWellFormed()).toBe(true);
          expect(written).not.toContain("\u0000");
        }
      }
    }),
  );
});

it("cuts a large changeset into parts that are opened as one", () => {
  const said = Array.from({ length: 9 }, (_, index): Message => {
    return { id: `m${index}`, role: "user", content: `${index}`.repeat(100_000) };
  });
  const given: Changeset = {
    ...emptyChangeset("thread-1", RUN, "changeset-1"),
    messages: said,
    events: deltasOf(said, 50_000, [RUN]),
  };
  const parts = store(given);
  expect(parts.map(({ part, first_position, message_count }) => [part, first_position, message_count])).toEqual([
    [0, 0, 2],
    [1, 2, 2],
    [2, 4, 2],
    [3, 6, 2],
    [4, 8, 1],
  ]);
  expect(openCommit(parts, "thread-1")).toEqual({ ...given, version: 3, digest: "d" });
});

it("stores streamed text once, as lengths into the message it became", () => {
  const said: Message = { id: "m", role: "assistant", content: "Hello world" };
  const [{ events } = expect.fail()] = store({
    ...emptyChangeset("thread-1", RUN, "changeset-1"),
    messages: [said],
    events: deltasOf([said], 6, [RUN]),
  });
  expect(JSON.parse(events)).toEqual([
    {
      type: "text_delta",
      seq: 1,
      timestamp_ms: 1_750_000_000_000,
      step_id: `${RUN}-s1`,
      deltas: { source: 0, lengths: [6, 5], ms: [0, 7] },
    },
  ]);
});

it("refuses events with a gap between them", () => {
  const [first, , third] = deltasOf([{ id: "m", role: "user", content: "abc" }], 1, [RUN]);
  const events = [first, third].filter((event) => event !== undefined);
  expect(() => sealChangeset({ ...emptyChangeset("t", RUN, "c"), events })).toThrow("Cannot store event 3");
});

it("refuses events of more than one run besides the changeset's own", () => {
  const events = deltasOf([{ id: "m", role: "user", content: "abc" }], 1, ["a", "b"]);
  expect(() => sealChangeset({ ...emptyChangeset("t", RUN, "c"), events })).toThrow("one run besides its own (got 2)");
});
