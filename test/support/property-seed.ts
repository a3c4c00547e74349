import fc from "fast-check";
import { chooseSeed } from "../../scripts/property-seed.mjs";

/**
 * One seed for every property of the run, so that one number repeats all of them; fast-check prints it with each
 * failure. `npm run fuzz` asks for far more runs.
 */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: chooseSeed(process.env),
  numRuns: process.env.REPRISE_FUZZ ? 5_000 : 100,
});
