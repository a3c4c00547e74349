import type { SerializedError } from "vitest";
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import { isContinuousIntegration } from "../../scripts/continuous-integration.mjs";

const MOST_NAMED = 20;

/**
 * Ends the run with one line that people and scripts can read: `tests: 12 passed, 0 failed, 0 skipped`.
 * What was skipped or failed is named above it, so that the end of a long log says what happened. A run that executed nothing fails, and so does one with skipped tests when CI is
 * set: a gap must never look like a pass.
 */
export default class ClosingLineReporter implements Reporter {
  #chosenByName = false;

  onInit(vitest: Vitest): void {
    this.#chosenByName = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const cases = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = cases.filter((test) => test.result().state === "passed").length;
    const failures = cases.filter((test) => test.result().state === "failed");
    // A test still pending at the end was cut off; it was not tested any more than a skipped one.
    const skipped = cases.filter((test) => ["skipped", "pending"].includes(test.result().state));
    const broken = modules.flatMap(errorsOutsideTests).length + unhandledErrors.length;
    const failed = failures.length + broken;

    const remarks = [...this.#nameSkipped(skipped), ...nameFailures(failures)];
    if (passed + failed === 0) {
      remarks.push("no test was executed: that is a failure");
      process.exitCode = 1;
    }
    if (skipped.length > 0 && isContinuousIntegration(process.env)) {
      remarks.push("skipped tests fail the run where CI is set");
      process.exitCode = 1;
    }
    const closing = `tests: ${passed} passed, ${failed} failed, ${skipped.length} skipped`;
    process.stdout.write(`${[...remarks, closing].join("\n")}\n`);
  }

  #nameSkipped(skipped: readonly TestCase[]): readonly string[] {
    if (skipped.length === 0) return [];
    if (this.#chosenByName) return [`skipped: ${skipped.length} tests, most by the name filter`];
    return ["skipped:", ...skipped.map((test) => `  ${nameOf(test)}`)];
  }
}

/** In the order they ran: what fails first is often why the rest fails. */
function nameFailures(failures: readonly TestCase[]): readonly string[] {
  if (failures.length === 0) return [];
  const lines = failures.slice(0, MOST_NAMED).flatMap((test) => {
    const [first] = test.result().errors ?? [];
    return [`  ${nameOf(test)}`, ...(first === undefined ? [] : [`    ${first.message.split("\n", 1)[0]}`])];
  });
  const more = failures.length - MOST_NAMED;
  return ["failed:", ...lines, ...(more > 0 ? [`  and ${more} more`] : [])];
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

/** Errors of a file that does not load or of a hook that throws: no test carries them, yet the run is not sound. */
function errorsOutsideTests(module: TestModule): readonly unknown[] {
  return [module, ...module.children.allSuites()].flatMap((owner) => owner.errors());
}
