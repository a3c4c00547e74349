import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../scripts/repository.mjs";

/** The names of the chunks of a WebP file, in order. */
function chunksOf(webp: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = 12; at < webp.length; ) {
    const size = webp.readUInt32LE(at + 4);
    names.push(webp.toString("latin1", at, at + 4));
    at += 8 + size + (size % 2);
  }
  return names;
}

it("the README shows an animated picture of at most 600 kB", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const [, path = ""] = /!\[[^\]]+\]\((docs\/pictures\/[^)]+)\)/.exec(readme) ?? [];
  const picture = readFileSync(join(ROOT, path));
  expect(picture.length).toBeLessThan(600_000);
  const [header, animation, ...frames] = chunksOf(picture);
  expect([header, animation]).toEqual(["VP8X", "ANIM"]);
  expect(new Set(frames)).toEqual(new Set(["ANMF"]));
  expect(frames.length).toBeGreaterThan(5);
});
