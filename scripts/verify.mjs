// The one gate: every check there is, in the order in which they are likely to fail soonest.
//
//   npm run verify                      all of them
//   npm run verify -- --skip test       without the named step (may be repeated)

import { ROOT } from "./repository.mjs";
import { readSkipped } from "./verify/read-skipped.mjs";
import { runSteps } from "./verify/run-steps.mjs";
import { createSteps } from "./verify/steps.mjs";

const steps = createSteps(ROOT);
const choice = readSkipped(
  process.argv.slice(2),
  steps.map(({ name }) => name),
);
if (choice.problem !== undefined) {
  console.error(choice.problem);
  process.exitCode = 2;
} else {
  const passed = await runSteps(steps, choice.skipped, (text) => process.stdout.write(text));
  process.exitCode = passed ? 0 : 1;
}
