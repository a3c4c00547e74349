import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { collectLicenses } from "./collect-licenses.mjs";

/** Files that are started by their name instead of being imported, beside the entries of a package. */
const STARTED = { "packages/cli": ["demo/weather-server"], "packages/stores": ["sqlite/writer-thread"] };

/** Reads files that lie beside its modules, so these stay where they are. */
const UNBUNDLED = ["packages/testkit"];

/**
 * Writes the code of a package into its dist folder, one file for each of its exports and what they share. What the package
 * depends on stays outside; what it only needs to be built becomes part of it, with its license.
 *
 * @param {string} root
 * @param {string} folder relative to the root
 * @param {string} [dist] where it goes
 */
export async function bundlePackage(root, folder, dist = join(root, folder, "dist")) {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const outside = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
  const names = [...entriesOf(manifest), ...(STARTED[/** @type {keyof typeof STARTED} */ (folder)] ?? [])];
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(root, folder, "src", `${name}.ts`)])),
    external: (id) => isBuiltin(id) || outside.has(packageOf(id)),
    platform: "node",
    resolve: { conditionNames: ["node", "import", "default"] },
  });
  // What an earlier build shared may be shared no more.
  rmSync(join(dist, "shared"), { recursive: true, force: true });
  const { output } = await bundle.write({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name].js",
    comments: false,
    preserveModules: UNBUNDLED.includes(folder),
    ...(UNBUNDLED.includes(folder) && { preserveModulesRoot: join(root, folder, "src") }),
  });
  await bundle.close();
  const licenses = collectLicenses(output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])));
  if (licenses !== "") writeFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), licenses);
}

/**
 * The sources of what can be imported, without `src/` and extension.
 *
 * @param {{ exports?: Record<string, { "reprise-source"?: string }>, bin?: Record<string, string> }} manifest
 */
function entriesOf({ exports = {}, bin = {} }) {
  const sources = Object.values(exports).map((entry) => entry["reprise-source"] ?? "");
  const programs = Object.values(bin).map((file) => file.replace("dist/", "src/").replace(/\.js$/, ".ts"));
  return [...new Set([...sources, ...programs])]
    .filter((file) => /(^|\/)src\/.*\.ts$/.test(file))
    .map((file) => file.replace(/^(\.\/)?src\//, "").replace(/\.ts$/, ""));
}

/** @param {string} id */
function packageOf(id) {
  return id
    .split("/")
    .slice(0, id.startsWith("@") ? 2 : 1)
    .join("/");
}
