// Runs the packages' tests with far more runs per property. Arguments go to vitest; words choose files.

import { runVitest } from "./run-vitest.mjs";

const TEN_MINUTES_MS = 600_000;
const asked = process.argv.slice(2);
const files = asked.some((argument) => !argument.startsWith("-")) ? [] : ["packages/"];

process.exitCode = await runVitest({
  command: "npm run fuzz",
  vitestArguments: [...files, `--testTimeout=${TEN_MINUTES_MS}`, "--typecheck.enabled=false", ...asked],
  env: { REPRISE_FUZZ: "1", REPRISE_TIER: "all" },
});
