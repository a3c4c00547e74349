import { RepriseError } from "@reprise/contracts";
import { expect, it } from "vitest";
import { ReadLanes } from "./read-lanes.ts";
import type { Results } from "./session.ts";
import { composed, type Query } from "./statement.ts";

/** A server that answers when it is told, with the text of each query. */
function createServer() {
  const sent: { readonly queries: readonly Query[]; answer(): void; fail(error: unknown): void }[] = [];
  const send = (queries: readonly Query[]): Promise<Results> =>
    new Promise((resolve, reject) => {
      const answer = (): void => resolve(queries.map(({ statement }) => [{ text: statement.text }]));
      sent.push({ queries, answer, fail: reject });
    });
  return { sent, send, texts: () => sent.map(({ queries }) => queries.map(({ statement }) => statement.text)) };
}

const queriesOf = (...texts: readonly string[]): readonly Query[] => texts.map((text) => composed(text, []));

/** Lets everything happen that needs no answer. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("sends one reader at once, and those that come meanwhile together, each with its own answer", async () => {
  const server = createServer();
  const lanes = new ReadLanes(server.send, 1);
  const first = lanes.read(queriesOf("a"));
  await settle();
  const others = [lanes.read(queriesOf("b", "c")), lanes.read(queriesOf("d"))];
  await settle();
  expect(server.texts()).toEqual([["a"]]);
  server.sent[0]?.answer();
  expect(await first).toEqual([[{ text: "a" }]]);
  await settle();
  expect(server.texts()).toEqual([["a"], ["b", "c", "d"]]);
  server.sent[1]?.answer();
  expect(await Promise.all(others)).toEqual([[[{ text: "b" }], [{ text: "c" }]], [[{ text: "d" }]]]);
});

it("sends more at a time than it has lanes only in later round trips, and never too much in one", async () => {
  const server = createServer();
  const lanes = new ReadLanes(server.send, 2);
  const reads = Array.from({ length: 100 }, (_, index) => lanes.read(queriesOf(`${index}`)));
  while (server.sent.length < 2) await settle();
  expect(server.sent.map(({ queries }) => queries.length)).toEqual([60, 40]);
  for (const { answer } of server.sent) answer();
  expect((await Promise.all(reads)).map(([rows]) => rows?.[0]?.text)).toEqual(
    Array.from({ length: 100 }, (_, index) => `${index}`),
  );
});

it("lets only the read fail whose fault it is", async () => {
  const server = createServer();
  const lanes = new ReadLanes(server.send, 1);
  const reads = Promise.allSettled([lanes.read(queriesOf("good")), lanes.read(queriesOf("bad"))]);
  await settle();
  server.sent[0]?.fail(new Error("one of them"));
  await settle();
  server.sent[1]?.answer();
  await settle();
  server.sent[2]?.fail(new Error("bad"));
  expect(server.texts()).toEqual([["good", "bad"], ["good"], ["bad"]]);
  expect((await reads).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

it("tells all of them at once when the server is away", async () => {
  const server = createServer();
  const lanes = new ReadLanes(server.send, 1);
  const reads = Promise.allSettled([lanes.read(queriesOf("a")), lanes.read(queriesOf("b"))]);
  await settle();
  server.sent[0]?.fail(new RepriseError("STORE_UNAVAILABLE", "It is away."));
  expect((await reads).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(server.sent).toHaveLength(1);
});
