import { scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { defineAgent, defineTool, replayExport } from "@reprise/runtime";
import { expect, it } from "vitest";
import { interceptStore } from "../../runtime/test/support/intercept-store.ts";
import { openDemo, says } from "./support/open-demo.ts";

it("an exported run can be replayed elsewhere", async () => {
  const { ask, post } = await openDemo();
  await (await post("/v1/runs", says("hello", { threadId: "t", runId: "r" }))).text();
  const response = await ask("/v1/runs/r/export");
  expect(response.headers.get("content-disposition")).toBe("attachment");
  const replayed = await replayExport(await response.text(), { env: createNodeEnv() });
  expect(replayed).toMatchObject({ run_id: "r", equal: true });
});

it("issue 14.38: an exported run is read from the store as fast as its reader takes it", async () => {
  let taken = 0;
  const { ask, runtime } = await openDemo({
    agents: [
      defineAgent({
        id: "assistant",
        model: scriptedModel([...Array.from({ length: 40 }, () => [{ call: "grow" }]), "done"]),
        tools: [defineTool({ id: "grow", description: "Grows.", execute: () => "x".repeat(30_000) })],
      }),
    ],
    wrapStore: (store) =>
      interceptStore(store, {
        tenant: (inner) => ({
          async readChangesets(...asked) {
            const page = await inner.readChangesets(...asked);
            taken = Math.max(taken, page.length);
            reads.push(page.length);
            return page;
          },
        }),
      }),
  });
  const reads: number[] = [];
  const run = await runtime.start({ agent: "assistant", threadId: "t", input: "go" });
  await run.outcome();
  const response = await ask(`/v1/runs/${run.id}/export`);
  const before = reads.length;
  const reader = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  const first = await reader?.read();
  if (first?.value !== undefined) pieces.push(first.value);
  // One piece is no more than one page of commits, and of a page a store gives out few.
  expect([reads.length - before, taken]).toEqual([1, 8]);
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) pieces.push(next.value);
  expect(reads.length - before).toBeGreaterThan(2);
  const text = Buffer.concat(pieces).toString();
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(await runtime.exportRun(run.id))));
  expect(await replayExport(text, { env: createNodeEnv() })).toMatchObject({ equal: true });
});

it("an exported thread is whole however long it is, and says so", async () => {
  const { ask, runtime, post } = await openDemo();
  await (await post("/v1/runs", says("hello", { threadId: "t" }))).text();
  for (let count = 0; count < 450; count += 1) {
    await runtime.threads.patch("t", { ops: [{ op: "set", path: ["count"], value: count }] });
  }
  const { version } = await runtime.threads.get("t");
  const readLines = async (path: string) => {
    const text = await (await ask(path)).text();
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  const lines = await readLines("/v1/threads/t/export");
  expect([lines[0].type, lines.at(-1)]).toEqual(["thread", { type: "end", version }]);
  expect(lines.slice(1, -1).map((line) => line.version)).toEqual(Array.from({ length: version }, (_, at) => at + 1));
  const rest = await readLines(`/v1/threads/t/export?after=${version - 1}`);
  expect(rest.map((line) => line.type)).toEqual(["thread", "changeset", "end"]);
  expect(rest[0].state.count).toBe(448);
  expect((await readLines(`/v1/threads/t/export?after=${version}`)).map((line) => line.type)).toEqual([
    "thread",
    "end",
  ]);
});

it("what comes while a thread is exported is left out", async () => {
  const { ask, runtime, post } = await openDemo();
  await (await post("/v1/runs", says("hello", { threadId: "t" }))).text();
  const { version } = await runtime.threads.get("t");
  const response = await ask("/v1/threads/t/export");
  await runtime.threads.patch("t", { ops: [{ op: "set", path: ["late"], value: true }] });
  const text = await response.text();
  expect(text).not.toContain("late");
  expect(text.trim().split("\n").at(-1)).toBe(JSON.stringify({ type: "end", version }));
});

it("a version that is not there yet is said before anything else", async () => {
  const { ask, post } = await openDemo();
  await (await post("/v1/runs", says("hello", { threadId: "t" }))).text();
  expect((await ask("/v1/threads/t/export?after=99")).status).toBe(404);
});
