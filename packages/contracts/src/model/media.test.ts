import { expect, it } from "vitest";
import { blobRefOf, mediaCostOf, mediaHandle } from "./media.ts";

it("counts units in millionths of a cent, and says when the price is unknown", () => {
  expect(mediaCostOf(2, { media_per_unit: 0.04 })).toEqual({ microcents: 8_000_000, priced: true });
  expect(mediaCostOf(3, { media_per_unit: 0 })).toEqual({ microcents: 0, priced: true });
  expect(mediaCostOf(2, { input_per_million: 1 })).toEqual({ microcents: 0, priced: false });
  expect(mediaCostOf(2, undefined)).toEqual({ microcents: 0, priced: false });
});

it("names a blob as media, and finds it again", () => {
  expect(mediaHandle("blob:abc")).toBe("media://blob:abc");
  expect(blobRefOf(mediaHandle("blob:abc"))).toBe("blob:abc");
  expect(blobRefOf("blob:abc")).toBe("blob:abc");
  expect(blobRefOf("https://example.com/a.png")).toBe("https://example.com/a.png");
});
