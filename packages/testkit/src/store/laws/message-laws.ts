import { expect } from "vitest";
import { buildMessage } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import type { StoreBench } from "../store-bench.ts";

const ids = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

async function fill(bench: StoreBench, count: number): Promise<void> {
  const owner = await bench.start();
  await owner.commit({ messages: ids(count).map((id) => buildMessage(id)) });
}

/** Messages by cursor. */
export function messageLaws(law: Law): void {
  law("lists messages in the order they were committed, each with its position", async (bench) => {
    const owner = await bench.start("thread-1", { messages: [buildMessage("m0")] });
    await owner.commit({ messages: [buildMessage("m1"), buildMessage("m2")] });
    await owner.commit({ messages: [buildMessage("m3")] });
    const page = await bench.tenant.listMessages("thread-1");
    expect(page.messages).toEqual(ids(4).map((id, cursor) => ({ ...buildMessage(id), cursor })));
    expect(page).toMatchObject({ has_more: false, prev_cursor: 0, next_cursor: 3 });
  });

  law("pages messages forwards without missing or repeating one", async (bench) => {
    await fill(bench, 7);
    const seen: string[] = [];
    let cursor: number | undefined;
    for (let pages = 0; pages < 10; pages += 1) {
      const after = cursor === undefined ? {} : { after: cursor };
      const page = await bench.tenant.listMessages("thread-1", { limit: 3, ...after });
      seen.push(...page.messages.map(({ id }) => id));
      cursor = page.next_cursor;
      if (!page.has_more) break;
    }
    expect(seen).toEqual(ids(7));
  });

  law("pages messages backwards without missing or repeating one", async (bench) => {
    await fill(bench, 7);
    const seen: string[] = [];
    let cursor: number | undefined;
    for (let pages = 0; pages < 10; pages += 1) {
      const before = cursor === undefined ? {} : { before: cursor };
      const page = await bench.tenant.listMessages("thread-1", { limit: 3, order: "desc", ...before });
      seen.push(...page.messages.map(({ id }) => id));
      cursor = page.next_cursor;
      if (!page.has_more) break;
    }
    expect(seen).toEqual(ids(7).reverse());
  });

  law("leaves out the messages at `after` and `before`", async (bench) => {
    await fill(bench, 7);
    const page = await bench.tenant.listMessages("thread-1", { after: 1, before: 5 });
    expect(page.messages.map(({ id }) => id)).toEqual(["m2", "m3", "m4"]);
    expect((await bench.tenant.listMessages("thread-1", { after: 6 })).messages).toEqual([]);
  });

  law("cuts pages of messages to between 1 and 200, 50 unless asked", async (bench) => {
    await fill(bench, 205);
    const sizes = [undefined, 0, -5, 3, 1_000].map(async (limit) => {
      const page = await bench.tenant.listMessages("thread-1", limit === undefined ? {} : { limit });
      return [page.messages.length, page.has_more];
    });
    expect(await Promise.all(sizes)).toEqual([
      [50, true],
      [1, true],
      [1, true],
      [3, true],
      [200, true],
    ]);
  });

  law("shows internal messages only when asked", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ messages: [buildMessage("shown"), buildMessage("hidden", { visibility: "internal" })] });
    const list = async (visibility?: "all" | "internal" | "any") => {
      const page = await bench.tenant.listMessages("thread-1", visibility === undefined ? {} : { visibility });
      return page.messages.map(({ id }) => id);
    };
    expect(await list()).toEqual(["shown"]);
    expect(await list("all")).toEqual(["shown"]);
    expect(await list("internal")).toEqual(["hidden"]);
    expect(await list("any")).toEqual(["shown", "hidden"]);
  });

  law("hides superseded messages and keeps the positions of the others", async (bench) => {
    await fill(bench, 3);
    const claim = (await bench.operator.claim({ owner: "o", lease_ms: 1, limit: 1 }))[0];
    expect(claim).toBeUndefined();
    await bench.advance(60_000);
    const owner = await bench.take(await bench.claimOne());
    await owner.commit({ supersedes: ["m1", "never-seen"], messages: [buildMessage("m3")] });
    const shown = (await bench.tenant.listMessages("thread-1")).messages;
    expect(shown.map(({ id, cursor }) => [id, cursor])).toEqual([
      ["m0", 0],
      ["m2", 2],
      ["m3", 3],
    ]);
    const all = (await bench.tenant.listMessages("thread-1", { include_superseded: true })).messages;
    expect(all.map(({ id }) => id)).toEqual(ids(4));
  });

  law("lists the messages a run brought", async (bench) => {
    const first = await bench.start("thread-1", { messages: [buildMessage("m0")] });
    await first.become("done");
    const second = await bench.start("thread-1", { messages: [buildMessage("m1")] });
    await second.commit({ messages: [buildMessage("m2")] });
    const page = await bench.tenant.listMessages("thread-1", { run_id: second.runId });
    expect(page.messages.map(({ id }) => id)).toEqual(["m1", "m2"]);
  });

  law("gives the owner what may reach the model, from a position on", async (bench) => {
    const owner = await bench.start("thread-1", { messages: [buildMessage("m0")] });
    await owner.commit({ messages: [buildMessage("m1", { visibility: "internal" }), buildMessage("m2")] });
    await owner.commit({ supersedes: ["m0"] });
    const all = await bench.tenant.readMessages("thread-1", 0);
    const internal = buildMessage("m1", { visibility: "internal" });
    expect(all).toEqual({ messages: [internal, buildMessage("m2")], superseded: ["m0"], next: 3 });
    const tail = await bench.tenant.readMessages("thread-1", 2);
    expect(tail).toEqual({ messages: [buildMessage("m2")], superseded: [], next: 3 });
    expect(await bench.tenant.readMessages("thread-1", 3)).toEqual({ messages: [], superseded: [], next: 3 });
  });

  law("does not let a page grow after it was handed out", async (bench) => {
    const owner = await bench.start("thread-1", { messages: [buildMessage("m0")] });
    const page = await bench.tenant.listMessages("thread-1");
    const read = await bench.tenant.readMessages("thread-1", 0);
    const changesets = await bench.tenant.readChangesets("thread-1", 0);
    await owner.commit({ messages: [buildMessage("m1")] });
    expect([page.messages.length, read.messages.length, changesets.length]).toEqual([1, 1, 1]);
  });

  law("finds nothing in a thread that is not there", async ({ tenant }) => {
    expect(await tenant.loadThread("nowhere")).toBeUndefined();
    expect(await tenant.listMessages("nowhere")).toEqual({ messages: [], has_more: false });
    expect(await tenant.readMessages("nowhere", 0)).toEqual({ messages: [], superseded: [], next: 0 });
    expect(await tenant.readPatches("nowhere", 0)).toEqual([]);
    expect(await tenant.readChangesets("nowhere", 0)).toEqual([]);
    expect(await tenant.loadSnapshot("nowhere")).toBeUndefined();
    expect(await tenant.readInbox("nowhere", "nobody")).toEqual({ decisions: [] });
  });
}
