import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";

/** A small file system in memory, which a test can fill up. Where none can be made, the test is skipped, and fails under CI. */
export function mountSmallDisk(context: TestContext, megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), "reprise-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    const reason = "a full disk cannot be tried: mounting a small file system needs root";
    if (process.env.CI === "true") throw new Error(reason);
    return context.skip(reason);
  }
  onTestFinished(() => {
    execFileSync("umount", [folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}
