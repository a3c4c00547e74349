import { expect, it } from "vitest";
import { dropNote, keepNote, type Note, type Notebook, readNotebook, writeNotebook } from "./notebook.ts";
import { rankNotes } from "./rank-notes.ts";

const EMPTY = readNotebook(undefined);
const LIMITS = { maxNotes: 3, maxBytes: 100_000 };

function keepAll(texts: readonly string[], limits = LIMITS): Notebook {
  return texts.reduce((notebook, text, index) => keepNote(notebook, given(text), index, limits).notebook, EMPTY);
}

function given(text: string, callId = text): Omit<Note, "id" | "createdAt" | "updatedAt"> {
  return { text, callId, threadId: "t1", runId: "r1", agentId: "a" };
}

const textsOf = ({ notes }: Notebook) => notes.map(({ text }) => text);

it("survives a round trip through the document", () => {
  const notebook = keepAll(["one", "two 🙂"]);
  expect(readNotebook(JSON.parse(JSON.stringify(writeNotebook(notebook))))).toEqual(notebook);
});

it("drops the notes that were kept or renewed longest ago when it is full, and never reuses an id", () => {
  const notebook = keepAll(["one", "two", "three"]);
  const renewed = keepNote(notebook, given("one", "again"), 10, LIMITS);
  expect(renewed).toMatchObject({ note: { id: "n1", createdAt: 0, updatedAt: 10 }, evicted: [] });
  const { notebook: full, note, evicted } = keepNote(renewed.notebook, given("four"), 11, LIMITS);
  expect([note.id, evicted, textsOf(full)]).toEqual(["n4", ["n2"], ["one", "three", "four"]]);
  const { note: next } = keepNote(dropNote(full, "n4"), given("five"), 12, LIMITS);
  expect(next.id).toBe("n5");
});

it("makes room by bytes too, and keeps the new note in any case", () => {
  const limits = { maxNotes: 100, maxBytes: 700 };
  const notebook = keepAll(["a".repeat(200), "b".repeat(200), "🙂".repeat(60)], limits);
  expect(textsOf(notebook)).toEqual(["🙂".repeat(60)]);
  expect(textsOf(keepNote(notebook, given("c".repeat(5_000)), 9, limits).notebook)).toEqual(["c".repeat(5_000)]);
});

it("finds the note of a call that is executed again", () => {
  const { notebook, note } = keepNote(EMPTY, given("one", "c1"), 1, LIMITS);
  expect(keepNote(notebook, given("one", "c1"), 2, LIMITS)).toMatchObject({ note: { id: note.id }, evicted: [] });
  const ofAnotherRun = keepNote(notebook, { ...given("two", "c1"), runId: "r2" }, 2, LIMITS);
  expect(textsOf(ofAnotherRun.notebook)).toEqual(["one", "two"]);
});

it.each([
  ["no body", undefined],
  ["a text", "notes"],
  ["a list", []],
  ["notes of another shape", { notes: "none" }],
])("reads %s as an empty notebook", (_, body) => {
  expect(readNotebook(body)).toEqual({ next: 1, notes: [] });
});

it("reads the whole notes of a damaged document and keeps their ids taken", () => {
  const [note] = (writeNotebook(keepAll(["one"])) as unknown as { notes: [object] }).notes;
  const damaged = { next: -5, notes: [{ ...note, id: "n7" }, { ...note, text: 5 }, null, { id: "n9" }] } as never;
  expect(readNotebook(damaged)).toMatchObject({ next: 8, notes: [{ id: "n7", text: "one" }] });
});

it("ranks notes by the rarest words they share with the query, and then by age", () => {
  const { notes } = keepAll(["Likes tea in the morning", "Is allergic to nuts", "Likes jazz"]);
  const order = (query: string) => rankNotes(query, notes).map(({ note }) => note.id);
  expect(order("Any food allergies?")).toEqual(["n2", "n3", "n1"]);
  expect(order("What music does she like: JAZZ or tea?")).toEqual(["n3", "n1", "n2"]);
  expect(order("")).toEqual(["n3", "n2", "n1"]);
});

it("ranks notes in scripts without spaces", () => {
  const { notes } = keepAll(["她喜欢喝茶", "他住在北京"]);
  expect(rankNotes("北京天气", notes)[0]?.note.text).toBe("他住在北京");
});
