import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles } from "../repository.mjs";
import { tierOf } from "../tiers.mjs";
import { isServiceName } from "./table.mjs";

/** @import { Tier } from "../tiers.mjs" */
/** @import { ServiceName } from "./table.mjs" */

const MARKER = /\bdescribeWithService\(\s*["'`](\w+)["'`]/g;

/**
 * Which services the tests of this run ask for, and in which files. The marker is the call itself, so that no list
 * can fall behind the tests.
 *
 * @param {string} root
 * @param {Tier} tier
 * @param {readonly string[]} vitestArguments what the user asked to run; words choose files, as in vitest
 * @returns {Map<ServiceName, string[]>}
 */
export function neededServices(root, tier, vitestArguments) {
  const words = vitestArguments.filter((argument) => !argument.startsWith("-"));
  /** @type {Map<ServiceName, string[]>} */
  const needed = new Map();
  for (const file of listFiles(root)) {
    if (tierOf(file) !== tier) continue;
    if (words.length > 0 && !words.some((word) => file.includes(word))) continue;
    for (const name of servicesNamedIn(readFileSync(join(root, file), "utf8"))) {
      if (!isServiceName(name)) throw new Error(`${file} asks for "${name}", which scripts/services/table.mjs lacks.`);
      needed.set(name, [...(needed.get(name) ?? []), file]);
    }
  }
  return needed;
}

/** @param {string} source */
function servicesNamedIn(source) {
  return new Set([...source.matchAll(MARKER)].map((match) => match[1] ?? ""));
}
