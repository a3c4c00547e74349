import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/**
 * Installs the official clients on first use: nothing else in the repository needs them. One of the test files installs, the others wait
 * for it; a lock that was left behind is taken over after two minutes.
 */
export async function installClients(folder: string): Promise<void> {
  const lock = `${folder}.installing`;
  for (let waited = 0; existsSync(lock) || !isInstalled(folder); waited += 1) {
    if (waited > 600) rmSync(lock, { force: true });
    if (takeLock(lock)) {
      try {
        // Another process may have been done just now.
        if (!isInstalled(folder)) runInstall(folder);
      } finally {
        rmSync(lock, { force: true });
      }
    } else await setTimeout(200);
  }
}

function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

function runInstall(folder: string): void {
  console.error("e2e/ai-sdk-codec: installing ai 6 and ai 7 with npm ci (once, about 40 MB)");
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
}

/** Whether what is there is what the lockfile asks for. npm writes its own list of it last. */
function isInstalled(folder: string): boolean {
  const installed = `${folder}node_modules/.package-lock.json`;
  return existsSync(installed) && versionsIn(installed) === versionsIn(`${folder}package-lock.json`);
}

function versionsIn(lockfile: string): string {
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8"));
  return ["node_modules/ai-6", "node_modules/ai-7"].map((path) => packages[path]?.version).join();
}
