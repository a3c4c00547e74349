import { defineConfig } from "vitest/config";
import { chooseSeed } from "./scripts/property-seed.mjs";

/** Workspace packages are tested from source: no build stands between an edit and its test. */
const conditions = ["reprise-source", "node", "import", "default"];

const folders = ["packages/*/src", "packages/*/test", "test", "e2e"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    typecheck: {
      enabled: true,
      include: folders.map((folder) => `${folder}/**/*.test-d.ts`),
      tsconfig: "./tsconfig.check.json",
      // Errors elsewhere belong to `npm run types`; a half-finished source file must not hide what the tests say.
      ignoreSourceErrors: true,
    },
    // Many tests start real processes; on a busy machine slow is not wrong.
    testTimeout: 30_000,
    setupFiles: ["./test/support/property-seed.ts"],
    // Chosen here once, so that all workers agree also when vitest is called directly.
    env: { REPRISE_SEED: String(chooseSeed(process.env)) },
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
  },
});
