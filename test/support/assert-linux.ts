import type { TestContext } from "vitest";

/** For a test that looks into `/proc`. Elsewhere it is skipped and says why; the run fails for that where CI is set. */
export function assertLinux(context: Pick<TestContext, "skip">): void {
  if (process.platform !== "linux") context.skip("what a process holds can only be seen on Linux");
}
