// Removes what builds and runs have made, but not node_modules.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listPackages, ROOT } from "./repository.mjs";

const made = ["packages/reprise/docs", "packages/reprise/llms.txt", "docs-site/dist", ".snippets", "coverage"];
const folders = [...listPackages(ROOT).map((folder) => `${folder}/dist`), ...made];
const buildInformation = readdirSync(ROOT).filter((name) => name.endsWith(".tsbuildinfo"));

for (const path of [...folders, ...buildInformation]) rmSync(join(ROOT, path), { recursive: true, force: true });
