import type { TestContext } from "vitest";

/** For a test that looks into `/proc`. Elsewhere it says that it was not run; where the project is checked it must be. */
export function assertLinux(context: Pick<TestContext, "skip">): void {
  if (process.platform === "linux") return;
  const reason = "what a process holds can only be seen on Linux";
  if (process.env.CI === "true") throw new Error(reason);
  context.skip(reason);
}
