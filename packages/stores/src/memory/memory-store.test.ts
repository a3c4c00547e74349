import { buildEntry, createFakeEnv } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "./memory-store.ts";

describe("the work of a memory store", () => {
  it("is served to threads in the order they came, none twice and none forgotten", async () => {
    const { clock } = createFakeEnv();
    const store = createMemoryStore({ clock });
    const tenant = store.forTenant("default");
    const threads = Array.from({ length: 500 }, (_, index) => `thread-${index}`);
    for (const thread_id of threads) await tenant.submit(buildEntry({ thread_id, entry_id: `entry-of-${thread_id}` }));
    const served: string[] = [];
    for (let turn = 0; turn < 60; turn += 1) {
      const claims = await store.operator.claim({ owner: "owner", lease_ms: 1_000, limit: 10 });
      served.push(...claims.map(({ thread_id }) => thread_id));
    }
    expect(served).toEqual(threads);
  });
});
