import type { Json } from "@reprise/state";
import { expect } from "vitest";
import { buildChangeset } from "../../build/build-changeset.ts";
import { buildDecision, buildEntry, buildMessage } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";

const BAD_IDS = ["", ".", "..", "a/b", "a\\b", "nul\u0000", "line\n", "half\ud83d", "__proto__", "x".repeat(257)];
const ODD_IDS = [
  "emoji-🦊",
  "ünï-côdé",
  "space in it",
  "%2e%2e",
  "'; drop table threads; --",
  "a:b.c*>",
  "x".repeat(256),
];

const TEXTS: readonly (readonly [string, string])[] = [
  ["U+0000", "before\u0000after"],
  ["emoji and combining marks", "🦊👩‍👩‍👧 e\u0301 \u202e"],
  ["quotes and backslashes", `'"\\\`$\{x} \u2028 \u2029 </script>`],
  ["a very long line", "long ".repeat(200_000)],
];

/** Text and JSON that break careless stores. */
export function hostileLaws(law: Law): void {
  law("refuses ids that could not be a key everywhere, and stores nothing", async ({ tenant }) => {
    for (const id of BAD_IDS) {
      await expectRefusal(tenant.createThread({ thread_id: id, metadata: {} }), "INVALID_ID");
      await expectRefusal(tenant.submit(buildEntry({ thread_id: id })), "INVALID_ID");
      await expectRefusal(tenant.submit(buildEntry({ entry_id: id, run_id: "r" })), "INVALID_ID");
      await expectRefusal(tenant.submit(buildEntry({ run_id: id })), "INVALID_ID");
    }
    expect((await tenant.listThreads()).total).toBe(0);
    expect((await tenant.listEntries()).total).toBe(0);
    await tenant.createThread({ thread_id: "thread-1", metadata: {} });
    for (const id of BAD_IDS) {
      await expectRefusal(tenant.forkThread("thread-1", 0, id), "INVALID_ID");
      const changeset = buildChangeset({ changeset_id: id });
      await expectRefusal(tenant.commit(changeset, { expected: 0, epoch: null }), "INVALID_ID");
    }
  });

  law("takes odd ids that are allowed, and tells apart those that look alike", async (bench) => {
    const ids = [...ODD_IDS, "Case", "case", "\u00e9", "e\u0301", "toString", "hasOwnProperty"];
    for (const id of ids) await bench.start(id, { messages: [buildMessage("m", { content: id })] });
    for (const id of ids) {
      expect((await bench.tenant.listMessages(id)).messages.map(({ content }) => content)).toEqual([id]);
    }
    expect((await bench.tenant.listThreads()).total).toBe(ids.length);
  });

  for (const [what, text] of TEXTS) {
    law(`gives back ${what} unharmed`, async (bench) => {
      const owner = await bench.start("thread-1", { messages: [buildMessage("m1", { content: text })] });
      const call = owner.call("c1", { status: "suspended", suspension: 1, arguments: { [text.slice(0, 200)]: text } });
      await owner.become("waiting", {
        calls: [call],
        patches: [{ id: "p1", ops: [{ op: "set", path: ["k"], value: text }] }],
      });
      const decision = buildDecision({ run_id: owner.runId, call_id: "c1", reason: text, result: text });
      await bench.tenant.decide(decision);
      // Metadata has a limit that a very long line is beyond.
      const note = text.slice(0, 4_000);
      await bench.tenant.updateThread("thread-1", { note });
      expect((await bench.tenant.listMessages("thread-1")).messages[0]?.content).toBe(text);
      expect(await bench.tenant.loadCall(owner.runId, "c1")).toEqual(call);
      expect(await bench.tenant.loadDecision(owner.runId, "c1", 1)).toEqual(decision);
      expect((await bench.tenant.loadThread("thread-1"))?.thread.metadata).toEqual({ note });
      expect(await bench.tenant.readPatches("thread-1", 1)).toMatchObject([{ patches: [{ ops: [{ value: text }] }] }]);
    });
  }

  law("keeps half a character or replaces it, and nothing around it", async (bench) => {
    const text = "before \ud83d after";
    await bench.start("thread-1", { messages: [buildMessage("m1", { content: text })] });
    const [message] = (await bench.tenant.listMessages("thread-1")).messages;
    expect([text, text.toWellFormed()]).toContain(message?.content);
  });

  law("keeps keys such as __proto__ as ordinary keys", async (bench) => {
    const value: Json = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"x"}');
    const owner = await bench.start("thread-1", {
      messages: [buildMessage("m1", { metadata: { extra: value } })],
      patches: [{ id: "p1", ops: [{ op: "set", path: ["k"], value }] }],
    });
    const call = owner.call("c1", { arguments: value });
    await owner.commit({ calls: [call], runs: [{ ...owner.run, metadata: { extra: value } }] });
    await bench.tenant.updateThread("thread-1", JSON.parse('{"__proto__":"kept"}'));
    await bench.tenant.saveSnapshot("thread-1", { version: 1, state: value });
    const kept = JSON.stringify(value);
    expect(JSON.stringify((await bench.tenant.loadCall(owner.runId, "c1"))?.arguments)).toBe(kept);
    expect(JSON.stringify((await bench.tenant.loadRun(owner.runId))?.metadata?.extra)).toBe(kept);
    expect(JSON.stringify((await bench.tenant.listMessages("thread-1")).messages[0]?.metadata?.extra)).toBe(kept);
    expect(JSON.stringify((await bench.tenant.loadSnapshot("thread-1"))?.state)).toBe(kept);
    expect(JSON.stringify((await bench.tenant.loadThread("thread-1"))?.thread.metadata)).toBe('{"__proto__":"kept"}');
    expect(Object.hasOwn({}.constructor.prototype, "polluted")).toBe(false);
  });
}
