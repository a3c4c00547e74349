// Builds every package: declarations by the compiler, code by the bundler. A program that imports a package then opens a handful
// of files instead of hundreds. Then copies the documentation that `reprise` ships.
import { bundlePackage } from "./build/bundle-package.mjs";
import { copyDocs } from "./build/copy-docs.mjs";
import { listPublished, ROOT } from "./repository.mjs";
import { runInForeground } from "./run-process.mjs";
import { buildStudio } from "./studio/build-studio.mjs";

const code = await runInForeground(process.execPath, ["node_modules/typescript/bin/tsc", "-b"], { cwd: ROOT });
if (code === 0) {
  await Promise.all([buildStudio(ROOT), ...listPublished(ROOT).map((folder) => bundlePackage(ROOT, folder))]);
  copyDocs(ROOT);
}
process.exitCode = code;
