// Runs the tests that every change needs; arguments go to vitest. Those that take minutes run with `npm run prove`.

import { runTier } from "./run-tier.mjs";

process.exitCode = await runTier("test", "npm test", process.argv.slice(2));
