import { damaged } from "../../codec/stored-text.ts";
import type { VersionCell } from "../tables/cells.ts";
import type { ThereThread } from "./find-thread.ts";

/** The changesets of a thread after a version, up to another one. One that is missing was in a line that cannot be read. */
export function versionsOf(thread: ThereThread, after: number, upTo: number): readonly VersionCell[] {
  const found: VersionCell[] = [];
  const last = Math.min(upTo, thread.row.thread.version);
  for (let version = Math.floor(after) + 1; version <= last; version += 1) {
    const cell = thread.versions.get(version);
    if (cell === undefined) throw damaged("changeset");
    found.push(cell);
  }
  return found;
}
