import { isContinuousIntegration } from "./continuous-integration.mjs";
import { ROOT } from "./repository.mjs";
import { runVitest } from "./run-vitest.mjs";
import { thisMachine } from "./services/machine.mjs";
import { neededServices } from "./services/needed-services.mjs";
import { provideServices } from "./services/provide-services.mjs";

/** @import { Tier } from "./tiers.mjs" */

/**
 * Brings the services that the tests of a tier ask for, as far as this machine allows, runs them and answers the exit code.
 * Suites whose service is missing show as skipped tests, which the closing line counts and names.
 *
 * @param {Tier} tier
 * @param {string} command what the user typed, to tell how to repeat it
 * @param {readonly string[]} vitestArguments
 * @returns {Promise<number>}
 */
export async function runTier(tier, command, vitestArguments) {
  const needed = neededServices(ROOT, tier, vitestArguments);
  const missing = provideServices(needed, thisMachine(), console.log);
  const code = await runVitest({ command, vitestArguments, env: { REPRISE_TIER: tier } });

  // Second net: the reporter fails a run with skipped tests, but a suite may have been left out in another way.
  const silentlyPassed = code === 0 && missing.length > 0 && isContinuousIntegration(process.env);
  if (silentlyPassed) console.error(`These tests count as failed where CI is set: ${missing.join(", ")} missing.`);
  return silentlyPassed ? 1 : code;
}
