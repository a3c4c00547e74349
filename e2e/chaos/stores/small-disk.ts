import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../session/usage-error.ts";
import { pauseFor } from "../workload/pause-for.ts";

/** A file system of a few megabytes, in memory, that can be filled to the last page. */
export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  /** Makes room again. */
  free(): void;
  unmount(): Promise<void>;
}

const SIZE = "48m";
const CHUNK = Buffer.alloc(64 * 1024);

/** Mounts one below a folder. Needs the right to do so, which root has. */
export function mountSmallDisk(parent: string): SmallDisk {
  const folder = join(parent, "disk");
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    throw new UsageError(`"disk full" needs a small file system, and mounting one needs root: nothing was tried.`);
  }
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill() {
      const descriptor = openSync(ballast, "a");
      try {
        for (let size = CHUNK.length; size >= 1; ) {
          if (!tryWrite(descriptor, size)) size = Math.floor(size / 16);
        }
      } finally {
        closeSync(descriptor);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    unmount: () => unmount(folder),
  };
}

const ATTEMPTS = 40;

/** The system may need a moment to let go of what a killed process had open. */
async function unmount(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      execFileSync("umount", [folder], { stdio: "ignore" });
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await pauseFor(50);
    }
  }
}

function tryWrite(descriptor: number, size: number): boolean {
  try {
    return writeSync(descriptor, CHUNK, 0, size) === size;
  } catch {
    // The disk is full, which is what we are here for.
    return false;
  }
}
