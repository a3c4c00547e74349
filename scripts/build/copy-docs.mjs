import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectPages, writePages } from "../docs/collect-pages.mjs";
import { composeLlms } from "../docs/compose-llms.mjs";
import { readContents } from "../docs/read-contents.mjs";

/**
 * Copies the documentation and the examples into the package that ships them, for people without a network and for coding agents,
 * which begin with its `llms.txt`. A link to another file of the repository, which the package does not have, becomes its text.
 *
 * @param {string} root
 * @param {string} [target]
 */
export function copyDocs(root, target = join(root, "packages/reprise")) {
  rmSync(join(target, "docs"), { recursive: true, force: true });
  const documents = collectPages(root, (source) => /^(docs|examples)(\/|$)/.test(source));
  writePages(root, join(target, "docs"), documents);
  writeFileSync(join(target, "llms.txt"), composeLlms(readContents(root), documents.pages, "docs/"));
}
