import fc from "fast-check";
import { expect, it } from "vitest";
import { RateLimiter } from "./rate-limiter.ts";

it("lets so many through at once, then one after another, then all again", () => {
  let now = 0;
  const limiter = new RateLimiter({ requests: 10, windowMs: 1_000, maxCallers: 100 }, () => now);
  for (let count = 0; count < 10; count += 1) expect(limiter.take("a")).toBe(0);
  expect(limiter.take("a")).toBeCloseTo(100);
  expect(limiter.take("b")).toBe(0);
  now = 100;
  expect(limiter.take("a")).toBe(0);
  expect(limiter.take("a")).toBeCloseTo(100);
  now = 1_200;
  for (let count = 0; count < 10; count += 1) expect(limiter.take("a")).toBe(0);
  expect(limiter.take("a")).toBeGreaterThan(0);
});

it("never lets more through than a burst and the steady rate, whenever they come", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 }), (pauses) => {
      let now = 0;
      const limiter = new RateLimiter({ requests: 5, windowMs: 1_000, maxCallers: 10 }, () => now);
      let passed = 0;
      for (const pause of pauses) {
        now += pause;
        if (limiter.take("a") === 0) passed += 1;
        expect(passed).toBeLessThanOrEqual(5 + Math.floor(now / 200 + 1e-6));
      }
    }),
  );
});

it("remembers so many callers and no more, and those who ask now first of all", () => {
  const limiter = new RateLimiter({ requests: 2, windowMs: 1_000, maxCallers: 50 }, () => 0);
  limiter.take("busy");
  for (let caller = 0; caller < 10_000; caller += 1) {
    limiter.take(`c${caller}`);
    if (caller === 20) expect(limiter.take("busy")).toBe(0);
  }
  expect(limiter.size).toBe(50);
  limiter.take("c9999");
  expect(limiter.take("c9999")).toBeGreaterThan(0);
});

it("counts no caller when there is no limit", () => {
  const limiter = new RateLimiter({ requests: Infinity, windowMs: 1_000, maxCallers: 50 });
  for (let count = 0; count < 100; count += 1) expect(limiter.take("a")).toBe(0);
  expect(limiter.size).toBe(0);
});
