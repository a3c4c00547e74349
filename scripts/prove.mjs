// Runs the tests that take minutes, `*.prove.test.ts`, with bounded counts; arguments go to vitest.

import { runTier } from "./run-tier.mjs";

process.exitCode = await runTier("prove", "npm run prove", process.argv.slice(2));
