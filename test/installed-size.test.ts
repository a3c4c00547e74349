import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../scripts/repository.mjs";
import type { Manifest } from "./support/architecture/workspace.ts";

/** A package as it is installed: by its own dependencies alone, without optional peers. */
interface Installed {
  readonly name: string;
  readonly bytes: number;
}

/** Everything that `npm install` brings along with a package. */
function installWith(name: string, found = new Map<string, Installed>()): ReadonlyMap<string, Installed> {
  const folder = join(ROOT, "node_modules", name);
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  found.set(name, { name, bytes: sizeOf(folder) });
  for (const dependency of Object.keys(manifest.dependencies ?? {}))
    if (!found.has(dependency)) installWith(dependency, found);
  return found;
}

/** Of our own packages what they publish: the build, or where there is none its sources, which are larger. */
function sizeOf(folder: string): number {
  const isOurs = realpathSync(folder).startsWith(realpathSync(join(ROOT, "packages")));
  if (!isOurs) return bytesIn(folder);
  return bytesIn(join(folder, existsSync(join(folder, "dist")) ? "dist" : "src"));
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? bytesIn(join(folder, entry.name)) : statSync(join(folder, entry.name)).size))
    .reduce((sum, bytes) => sum + bytes, 0);
}

describe("issue 14.16: what `npm install reprise` brings along", () => {
  const installed = installWith("reprise");

  it("is at most 20 MB, SQLite included", () => {
    const bytes = [...installed.values()].reduce((sum, one) => sum + one.bytes, 0);
    expect(bytes).toBeLessThan(20_000_000);
  });

  it("holds no optional driver, tokenizer or provider's package", () => {
    const optional = /^(pg|gpt-tokenizer|@nats-io\/|@ai-sdk\/|ai$|better-sqlite3)/;
    expect([...installed.keys()].filter((name) => optional.test(name))).toEqual([]);
    expect([...installed.keys()]).toContain("@reprise/stores");
  });
});
