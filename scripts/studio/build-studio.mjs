import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectLicenses } from "../build/collect-licenses.mjs";
import { listFiles } from "../repository.mjs";

/** Where the server finds the studio, and what says which sources it was built from. */
const TARGET = "packages/server/studio";
const STAMP = ".sources";

/** What becomes part of the studio. */
const SOURCES = ["apps/studio", "packages/client/src", "packages/contracts/src"];

/**
 * Builds the studio into the package of the server, unless the one that lies there is of the same sources.
 *
 * @param {string} root
 * @param {(text: string) => void} [tell]
 */
export async function buildStudio(root, tell = () => undefined) {
  const [target, hash] = [join(root, TARGET), hashSources(root)];
  if (existsSync(join(target, STAMP)) && readFileSync(join(target, STAMP), "utf8") === hash) return;
  tell("Building the studio: its sources have changed since it was last built.");
  // Built beside its place and moved there: another process may be reading it, or building it too.
  const fresh = `${target}-${randomUUID()}`;
  try {
    await bundle(root, fresh);
    writeFileSync(join(fresh, STAMP), hash);
    rmSync(target, { recursive: true, force: true });
    try {
      renameSync(fresh, target);
    } catch (error) {
      if (!existsSync(target)) throw error;
      // Somebody else was faster.
      cpSync(fresh, target, { recursive: true });
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {string} outDir
 */
async function bundle(root, outDir) {
  // Loaded only where something is built: it takes longer than to see that nothing is.
  const { build } = await import("vite");
  const built = await build({
    root: join(root, "apps/studio"),
    configFile: join(root, "apps/studio/vite.config.ts"),
    logLevel: "warn",
    build: { outDir, emptyOutDir: true },
  });
  const chunks = [built].flat().flatMap((each) => ("output" in each ? each.output : []));
  const modules = chunks.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  writeFileSync(
    join(outDir, "THIRD-PARTY-LICENSES.txt"),
    collectLicenses(modules.filter((id) => !id.startsWith("\0"))),
  );
}

/** @param {string} root */
function hashSources(root) {
  const hash = createHash("sha256");
  const files = SOURCES.flatMap((folder) => listFiles(root, folder)).filter((file) => !file.endsWith(".test.ts"));
  for (const file of [...files, "package-lock.json"]) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}
