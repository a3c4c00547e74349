import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/repository.mjs";
import { runCaptured } from "../../scripts/run-process.mjs";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** How the tests of a little project ended. Only one stream is kept: the order between two is not certain. */
export interface FixtureRun {
  readonly code: number;
  readonly stdout: string;
  readonly lastLine: string | undefined;
}

/**
 * Runs `scripts/test.mjs` on a project with the given files and the repository's reporter.
 * `env` replaces the environment but for PATH, so that CI here does not decide what is tested there.
 */
export async function runFixture(
  files: Readonly<Record<string, string>>,
  { env = {}, vitestArguments = [] }: { env?: Record<string, string>; vitestArguments?: readonly string[] } = {},
): Promise<FixtureRun> {
  const project = createTemporaryFolder({ "vitest.config.ts": CONFIG, "package.json": PACKAGE, ...files });
  symlinkSync(join(ROOT, "scripts"), join(project, "scripts"));
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  // Without this flag the link's target would decide which project is tested.
  const program = ["--preserve-symlinks", "--preserve-symlinks-main", "scripts/test.mjs", ...vitestArguments];
  const { code, stdout } = await runCaptured(process.execPath, program, {
    cwd: project,
    env: { PATH: process.env.PATH, NO_COLOR: "1", ...env },
  });
  return { code, stdout, lastLine: stdout.trimEnd().split("\n").at(-1) };
}

const PACKAGE = JSON.stringify({ type: "module" });

const CONFIG = `export default { test: {
  globals: true,
  include: ["*.test.ts"],
  typecheck: { enabled: true, include: ["*.test-d.ts"], tsconfig: "./tsconfig.json" },
  reporters: ["default", ${JSON.stringify(join(ROOT, "test/support/closing-line-reporter.ts"))}],
} };`;
