import { tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { chooseSeed } from "./scripts/property-seed.mjs";
import { chooseTier, selectTier } from "./scripts/tiers.mjs";

/** Workspace packages are tested from source: no build stands between an edit and its test. */
const conditions = ["reprise-source", "node", "import", "default"];

/** Long, but each waits most of the time, for a flush, a process or a browser, and none minds another one beside it. */
const paired = [
  "packages/stores/test/*.contract.test.ts",
  "packages/stores/test/file-reopen.test.ts",
  "packages/server/test/**/*.test.ts",
  "packages/runtime/test/many-processes/**/*.test.ts",
  "packages/cli/test/**/*.test.ts",
  "e2e/**/*.test.ts",
  "test/**/*.test.ts",
];

const folders = ["packages/*/src", "packages/*/test", "apps/*/src", "test", "e2e"];

/** Tests that kill, fill up and cut off what stores are on, or look at their whole process: one file after the other. */
const alone = [
  "packages/stores/test/**/*.test.ts",
  // Counts the objects on the heap of its process.
  "packages/runtime/test/held-after-many-runs.test.ts",
];

const tier = chooseTier(process.env);

/** What a project runs in this tier: the globs it names, but for those that another project names. */
function choose(globs: readonly string[], others: readonly string[] = []) {
  const { include, exclude } = selectTier(tier, globs);
  return { include, exclude: [...configDefaults.exclude, ...exclude, ...selectTier(tier, others).include] };
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          ...choose(
            folders.map((folder) => `${folder}/**/*.test.ts`),
            [...paired, ...alone],
          ),
          // Files share the modules of their worker: loading them for each file took two thirds of the time.
          isolate: false,
          // One more than the machine would be given: most of them compute, and some wait.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          typecheck: {
            enabled: tier !== "prove",
            include: folders.map((folder) => `${folder}/**/*.test-d.ts`),
            tsconfig: "./tsconfig.check.json",
            // Errors elsewhere belong to `npm run types`; a half-finished source file must not hide what the tests say.
            ignoreSourceErrors: true,
          },
        },
      },
      { extends: true, test: { name: "paired", ...choose(paired), maxWorkers: 2, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          name: "alone",
          ...choose(alone, paired),
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
    // Many tests start real processes; on a busy machine slow is not wrong.
    testTimeout: 30_000,
    // Hooks start servers, which takes longer than ten seconds on a machine that is busy with something else.
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ["./test/support/property-seed.ts"],
    // Chosen here once, so that all workers agree also when vitest is called directly.
    env: {
      REPRISE_SEED: String(chooseSeed(process.env)),
      // Hundreds of tests start Node from source: with this cache all but the first find it compiled.
      NODE_COMPILE_CACHE: join(tmpdir(), "reprise-compile-cache"),
      // `npm test` runs beside `npm start`, whose store is the working folder's. No folder can be made below a file, so a test
      // that forgets its own store fails, and so do the processes that it starts.
      AGENTOS_STORAGE_DIR: join(import.meta.dirname, "package.json", "a-test-must-name-its-store"),
    },
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
  },
});
