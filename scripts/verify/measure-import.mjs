import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { listPackages } from "../repository.mjs";

/**
 * 583 kB when the limit was first set, a third of it the JSON Schema validator; 645 kB since plugins ask models, observe runs, bring tools that
 * come and go, and agents delegate; 690 kB since runs are handed over, composed of others, watched as trees, and tools run in the background; 724 kB
 * since runs can be programs, tasks have limits of their own, and recordings answer for models and tools in evaluations. Room for features, not for one
 * more library of the validator's size.
 */
export const MAX_IMPORT_BYTES = 750_000;

/**
 * How much code a program loads by importing everything that the root of `reprise` exports, minified. Stores that load on first
 * use are not part of it, and neither are packages that are only there when the user installs them.
 *
 * @param {string} root
 * @returns {Promise<{ bytes: number, gzipped: number }>}
 */
export async function measureImport(root) {
  const optional = new Set(listPackages(root).flatMap((folder) => optionalPeersOf(join(root, folder))));
  const bundle = await rolldown({
    input: join(root, "packages/reprise/src/index.ts"),
    external: (id) => isBuiltin(id) || [...optional].some((name) => id === name || id.startsWith(`${name}/`)),
    platform: "node",
    resolve: { conditionNames: ["reprise-source", "node", "import", "default"] },
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const chunks = new Map(output.flatMap((chunk) => (chunk.type === "chunk" ? [[chunk.fileName, chunk]] : [])));
  /** @type {Set<string>} */
  const loaded = new Set();
  /** @param {string} name */
  const load = (name) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    chunks.get(name)?.imports.forEach(load);
  };
  for (const { fileName, isEntry } of chunks.values()) if (isEntry) load(fileName);
  const code = [...loaded].map((name) => chunks.get(name)?.code ?? "").join("");
  return { bytes: Buffer.byteLength(code), gzipped: gzipSync(code).length };
}

/** @param {string} folder */
function optionalPeersOf(folder) {
  return Object.keys(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).peerDependencies ?? {});
}

/**
 * @param {string} root
 * @param {number} [limit] in bytes
 * @returns {Promise<import("./run-steps.mjs").StepResult>}
 */
export async function checkImportSize(root, limit = MAX_IMPORT_BYTES) {
  const { bytes, gzipped } = await measureImport(root);
  const figure = `import "reprise" is ${inKilobytes(bytes)} minified, ${inKilobytes(gzipped)} compressed`;
  const output = `${figure}; the limit is ${inKilobytes(limit)} minified. Load it on first use, leave it out, or raise the limit in scripts/verify/measure-import.mjs and say why.`;
  return { passed: bytes <= limit, output, remark: figure };
}

/** @param {number} bytes */
function inKilobytes(bytes) {
  return `${Math.round(bytes / 1000)} kB`;
}
