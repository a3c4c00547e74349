import type { StateSnapshot } from "@reprise/state";
import type { ThreadCell } from "./thread-cell.ts";

/** Keeps a snapshot in order of version, one a version. One of a version the thread does not have is dropped. */
export function keepSnapshot({ snapshots, thread, base }: ThreadCell, snapshot: StateSnapshot): void {
  // The one at the base is no cache: it is where history begins.
  if (snapshot.version > thread.version || snapshot.version <= (base?.version ?? 0)) return;
  const before = indexBefore(snapshots, snapshot.version);
  const isSame = snapshots[before]?.version === snapshot.version;
  snapshots.splice(isSame ? before : before + 1, isSame ? 1 : 0, snapshot);
}

/** The newest snapshot at or before a version. */
export function findSnapshot({ snapshots }: ThreadCell, version: number): StateSnapshot | undefined {
  return snapshots[indexBefore(snapshots, version)];
}

function indexBefore(snapshots: readonly StateSnapshot[], version: number): number {
  return snapshots.findLastIndex((kept) => kept.version <= version);
}
