import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The licenses of everything foreign that became part of a bundle.
 *
 * @param {readonly string[]} moduleIds
 */
export function collectLicenses(moduleIds) {
  const folders = moduleIds.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []);
  return [...new Set(folders)].sort().map(readLicense).join("\n");
}

/** @param {string} folder */
function readLicense(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} becomes part of a package and has no license file.`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
