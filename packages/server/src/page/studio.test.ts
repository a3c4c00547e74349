import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { studio } from "./studio.ts";

const files = new Map(studio().map((file) => [file.path, file]));

it("names the files of every screen by addresses that lead to the mounted folder from there", () => {
  for (const [path, depth] of [
    ["/", "./"],
    ["/runs", "./"],
    ["/runs/:id", "../"],
    ["/compare/:a/:b", "../../"],
  ] as const) {
    const named = [...(files.get(path)?.content ?? "").matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, address]) => address,
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((address) => address?.startsWith(`${depth}assets/`) !== true)).toEqual([]);
  }
});

it("loads at most 300 kB of scripts, compressed, before anything is shown, and nothing from elsewhere", () => {
  const page = files.get("/")?.content ?? "";
  const scripts = [...page.matchAll(/(?:src|href)="\.(\/assets\/[^"]+\.js)"/g)].map(([, path = ""]) => path);
  const bytes = scripts.map((path) => gzipSync(files.get(path)?.content ?? "").length);
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(300_000);
  expect(page).not.toMatch(/https?:|<style|<script>/);
});

it("keeps files in browsers whose names change with their content, and no page", () => {
  for (const { path, isImmutable = false } of files.values()) expect(isImmutable).toBe(path.startsWith("/assets/"));
});
