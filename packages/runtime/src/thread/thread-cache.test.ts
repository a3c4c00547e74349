import { createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { expect, it } from "vitest";
import { ThreadCache } from "./thread-cache.ts";

const tenant = createMemoryStore({ clock: createFakeEnv().clock }).forTenant("default");

/** Loads threads and has each grow by so many characters. */
async function fill(cache: ThreadCache, threads: number, characters: number): Promise<void> {
  for (let index = 0; index < threads; index += 1) {
    const thread = await cache.load(tenant, "default", `t${index}`);
    const message = { id: `m${index}`, role: "user", content: "x".repeat(characters) } as const;
    thread.advance(1, {}, { messages: [message], supersedes: [], patches: [] });
  }
}

it("holds so many threads", async () => {
  const cache = new ThreadCache({ cachedThreads: 10, cachedCharacters: 1e9 });
  await fill(cache, 50, 10);
  expect(cache.size).toBe(10);
});

it("holds fewer when they are large, although they were small when they came", async () => {
  const cache = new ThreadCache({ cachedThreads: 1_000, cachedCharacters: 100_000 });
  await fill(cache, 320, 10_000);
  expect(cache.size).toBeLessThan(10 + 32);
  expect(cache.size).toBeGreaterThan(0);
});
