import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const STARTER: string = fileURLToPath(new URL("../../../examples/ai-sdk-starter/", import.meta.url));

/** Installs what the starter needs, on first use and when its lockfile has changed. */
export function installStarter(): void {
  if (versionsIn("node_modules/.package-lock.json") === versionsIn("package-lock.json")) return;
  console.error("examples/ai-sdk-starter: installing its packages with npm ci (once, about 100 MB)");
  runInStarter("npm", ["ci", "--include=dev", "--no-audit", "--no-fund"]);
}

/** Runs a program in the starter's folder; what it prints is in the error when it fails. */
export function runInStarter(program: string, programArguments: readonly string[]): void {
  try {
    // Tests have a mode of their own, in which a page would be built for developers.
    const env = { ...process.env, NODE_ENV: "production" };
    execFileSync(program, programArguments, { cwd: STARTER, env, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} ${programArguments.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** npm writes its own list of what is there last. It has no optional packages of other machines. */
function versionsIn(lockfile: string): string | undefined {
  if (!existsSync(STARTER + lockfile)) return undefined;
  const { packages } = JSON.parse(readFileSync(STARTER + lockfile, "utf8"));
  return ["@ai-sdk/react", "ai", "react", "vite"].map((name) => packages[`node_modules/${name}`]?.version).join();
}
