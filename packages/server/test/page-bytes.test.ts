import { describe, expect, it } from "vitest";
import { MAX_PAGE_BYTES } from "../src/http/answer-list.ts";
import { sendChunks, uiSays } from "./support/ai-sdk-client.ts";
import { type OpenDemo, openDemo, says } from "./support/open-demo.ts";

const LONG = "x".repeat(300_000);

/** A thread with eight long messages, and eight runs. */
async function openLong(): Promise<OpenDemo> {
  const demo = await openDemo();
  for (let time = 0; time < 4; time += 1) {
    const body = says(`${time} ${LONG}`, { threadId: "t", runId: `r${time}`, state: { [`s${time}`]: LONG } });
    await (await demo.post("/v1/runs", body)).text();
    // A call by hand keeps its arguments in the record of its run.
    await demo.post("/v1/agents/echo/tools/add/run", { arguments: { a: 1, b: 2, note: LONG } });
  }
  return demo;
}

/** Reads all pages of a list, each of which must be within the limit. */
async function readPages(
  { ask }: OpenDemo,
  pathOf: (page: { items: readonly never[]; last?: never }) => string,
  name = "items",
) {
  const items: { readonly [key: string]: unknown }[] = [];
  for (let pages = 1; ; pages += 1) {
    // The shape is each list's own.
    const response = await ask(
      pathOf({ items: items as never, ...(items.length > 0 && { last: items.at(-1) as never }) }),
    );
    const text = await response.text();
    expect(text.length).toBeLessThan(MAX_PAGE_BYTES + 1_000);
    const page = JSON.parse(text);
    items.push(...page[name]);
    if (!page.has_more) return { items, pages };
  }
}

describe("issue 14.38: a page", () => {
  it.each<
    [string, number, (page: { items: readonly never[]; last?: { cursor: number; version: number } }) => string, string?]
  >([
    ["runs", 8, ({ items }) => `/v1/runs?limit=200&offset=${items.length}`],
    ["messages", 8, ({ last }) => `/v1/threads/t/messages?limit=200&after=${last?.cursor ?? -1}`, "messages"],
    [
      "messages backwards",
      8,
      ({ last }) => `/v1/threads/t/messages?limit=200&order=desc&before=${last?.cursor ?? 999}`,
      "messages",
    ],
    ["mailbox entries", 4, ({ items }) => `/v1/threads/t/mailbox?limit=200&offset=${items.length}`],
    ["history", 8, ({ last }) => `/v1/threads/t/history?limit=200&after=${last?.version ?? 0}`],
  ])("of %s is limited in bytes, and all pages together are whole", async (_, count, pathOf, name) => {
    const demo = await openLong();
    const { items, pages } = await readPages(demo, pathOf as never, name);
    expect(items).toHaveLength(count);
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(count);
    expect(pages).toBeGreaterThan(1);
  });

  it("with one item that is longer has that one", async () => {
    const demo = await openDemo({ maxBodyBytes: 4_000_000 });
    for (const id of ["a", "b"]) {
      await demo.post("/v1/agents/echo/tools/add/run", { arguments: { a: 1, note: `${id}${"x".repeat(1_500_000)}` } });
    }
    const page = await (await demo.ask("/v1/runs")).json();
    expect([page.items.length, page.total, page.has_more]).toEqual([1, 2, true]);
  });

  it("of a chat's history is limited in bytes", async () => {
    const demo = await openDemo();
    for (let time = 0; time < 3; time += 1) await sendChunks(demo, uiSays(`${time} ${LONG}`, { id: `u${time}` }));
    const path = "/v1/ai-sdk/threads/t/messages";
    const ids: string[] = [];
    let pages = 0;
    for (let before = "", hasMore = true; hasMore; pages += 1) {
      const text = await (await demo.ask(path + before)).text();
      expect(text.length).toBeLessThan(2 * MAX_PAGE_BYTES);
      const { messages, has_more } = JSON.parse(text);
      ids.unshift(...messages.map(({ id }: { id: string }) => id));
      [before, hasMore] = [`?before=${ids[0]}`, has_more];
    }
    expect(ids.filter((id) => /^u\d$/.test(id))).toEqual(["u0", "u1", "u2"]);
    expect([ids.length, new Set(ids).size, pages > 1]).toEqual([6, 6, true]);
  });

  it("is read from the store no faster than by its client", async () => {
    const { ask, runtime } = await openDemo();
    const metadata = { note: "x".repeat(15_000) };
    for (let time = 0; time < 40; time += 1) await runtime.start({ agent: "echo", input: "x", metadata });
    let reads = 0;
    const list = runtime.runs.bind(runtime);
    runtime.runs = (query) => {
      reads += 1;
      return list(query);
    };
    const response = await ask("/v1/runs?limit=200");
    expect(reads).toBe(1);
    expect((await response.json()).items).toHaveLength(40);
    expect(reads).toBe(2);
  });
});

describe("issue 14.38: metadata", () => {
  it.each([16_384, 16_385])("of a run with %s bytes", async (bytes) => {
    const { post } = await openDemo();
    const metadata = { m: "x".repeat(bytes - '{"m":""}'.length) };
    const response = await post("/v1/runs", says("hello", { metadata }));
    expect(response.status).toBe(bytes > 16_384 ? 400 : 200);
  });

  it("of a thread does not grow beyond its limit, change by change", async () => {
    const { post, ask } = await openDemo();
    await (await post("/v1/runs", says("hello", { threadId: "t" }))).text();
    const change = async (key: string) => {
      const body = JSON.stringify({ [key]: "x".repeat(6_000) });
      const headers = { "content-type": "application/json" };
      return (await ask("/v1/threads/t/metadata", { method: "PATCH", headers, body })).status;
    };
    expect([await change("a"), await change("b"), await change("c"), await change("b")]).toEqual([200, 200, 400, 200]);
  });
});
