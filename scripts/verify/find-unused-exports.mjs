import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "rolldown/utils";
import { listFiles, listPackages } from "../repository.mjs";

/**
 * What a module exports under a name: something of its own, or something of another module.
 *
 * @typedef {{ name: string, isType: boolean, from?: { file: string, name: string } }} Export
 * @typedef {{ file: string, name: string }} Use
 * @typedef {{ text: string, exports: ReadonlyMap<string, Export>, uses: readonly Use[] }} Module
 */

const CODE = /\.[mc]?[jt]sx?$/;
const TEST = /(^|\/)(test|e2e|bench)\/|\.test(-d)?\.ts$/;
const BLOCK = /^[ \t]*```ts\b[^\n]*\n([\s\S]*?)^[ \t]*```/gm;
const IMPORT_CALL = /\bimport\(\s*"([^"]+)"\s*\)/g;

/** The modules whose names are for users. */
const PUBLIC = /^(reprise(\/.*)?|@reprise\/(client|react))$/;

/** Written from the OpenAPI document, with names for what the document may have. */
const GENERATED = "packages/client/src/api.ts";

/** Stands for every name a module exports. */
const ALL = "*";

/**
 * The exports of our packages that nothing uses: no other module, no test, no page of the documentation, and not the public
 * lists of `reprise` and of the packages for browsers, whose names are for users. A type may also be exported because its own module's signatures have it.
 *
 * A tool for this (knip) parses with a package that is not there for every platform; our bundler brings the same parser.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function findUnusedExports(root) {
  const entries = readEntries(root);
  const modules = readModules(root, entries);
  /** @type {Set<string>} */
  const used = new Set();
  /** @param {Use} use */
  const mark = ({ file, name }) => {
    const module = modules.get(file);
    if (module === undefined) return;
    for (const each of name === ALL ? module.exports.values() : [module.exports.get(name)]) {
      if (each === undefined || used.has(`${file} ${each.name}`)) continue;
      used.add(`${file} ${each.name}`);
      if (each.from !== undefined) mark(each.from);
    }
  };
  for (const [specifier, file] of entries) if (PUBLIC.test(specifier)) mark({ file, name: ALL });
  for (const { uses } of modules.values()) uses.forEach(mark);
  return [...modules].flatMap(([file, { text, exports }]) => {
    if (!/^(packages|apps)\/[^/]+\/src\//.test(file) || TEST.test(file) || file === GENERATED) return [];
    return [...exports.values()]
      .filter(({ name }) => !used.has(`${file} ${name}`))
      .filter(({ name, isType, from }) => from !== undefined || !isType || countWord(text, name) < 2)
      .map(({ name }) => `${file} exports ${name}, which nothing uses`);
  });
}

/**
 * The sources that can be imported by a package's name.
 *
 * @param {string} root
 * @returns {ReadonlyMap<string, string>}
 */
function readEntries(root) {
  return new Map(
    listPackages(root).flatMap((folder) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      return Object.entries(exports).flatMap(([subpath, target]) => {
        const source = target["reprise-source"];
        return source === undefined ? [] : [[posix.join(name, subpath), posix.join(folder, source)]];
      });
    }),
  );
}

/**
 * Every program of the repository, those in the documentation among them.
 *
 * @param {string} root
 * @param {ReadonlyMap<string, string>} entries
 * @returns {ReadonlyMap<string, Module>}
 */
function readModules(root, entries) {
  return new Map(
    listFiles(root).flatMap((file) => {
      if (CODE.test(file)) return [[file, readModule(file, readFileSync(join(root, file), "utf8"), entries)]];
      if (!file.endsWith(".md")) return [];
      const blocks = [...readFileSync(join(root, file), "utf8").matchAll(BLOCK)];
      return blocks.map(([, code = ""], at) => [`${file}:${at}`, readModule(`${file}.ts`, code, entries)]);
    }),
  );
}

/**
 * @param {string} file
 * @param {string} text
 * @param {ReadonlyMap<string, string>} entries
 * @returns {Module}
 */
function readModule(file, text, entries) {
  /** @param {string} specifier */
  const resolve = (specifier) =>
    specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : (entries.get(specifier) ?? specifier);
  const { module } = parseSync(file, text);
  /** @type {Map<string, Export>} */
  const exports = new Map();
  /** @type {Use[]} */
  const uses = [];
  for (const { moduleRequest, entries: imported } of module.staticImports)
    for (const { importName } of imported)
      uses.push({
        file: resolve(moduleRequest.value),
        name: importName.kind === "Name" ? (importName.name ?? ALL) : ALL,
      });
  for (const { exportName, importName, moduleRequest, isType } of module.staticExports.flatMap(
    (each) => each.entries,
  )) {
    const name = exportName.kind === "Name" ? (exportName.name ?? ALL) : "default";
    const from = moduleRequest && { file: resolve(moduleRequest.value), name: importName.name ?? ALL };
    exports.set(name, { name, isType, ...(from && { from }) });
  }
  for (const [, specifier = ""] of text.matchAll(IMPORT_CALL)) uses.push({ file: resolve(specifier), name: ALL });
  return { text, exports, uses };
}

/**
 * @param {string} text
 * @param {string} word
 */
function countWord(text, word) {
  return text.match(new RegExp(`(?<![\\w$])${word.replaceAll("$", "\\$")}(?![\\w$])`, "g"))?.length ?? 0;
}
