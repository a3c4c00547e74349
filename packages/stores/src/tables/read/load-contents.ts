import { damaged } from "../../codec/stored-text.ts";
import type { CommitCell, CommitContent } from "../cells.ts";
import type { ThereThread } from "./find-thread.ts";

/** The content of commits. Undefined when their thread is gone by now. */
export async function loadContents(cells: readonly CommitCell[]): Promise<readonly CommitContent[] | undefined> {
  const loaded = await Promise.all(cells.map((cell) => cell.load()));
  const found = loaded.filter((content) => content !== undefined);
  return found.length === loaded.length ? found : undefined;
}

/** The commits of a thread after a version, up to another one. Throws `CORRUPT_DATA` when one of them is missing. */
export function commitsAfter(thread: ThereThread, after: number, upTo: number): readonly CommitCell[] {
  const [first, last] = [Math.floor(after), Math.min(Math.floor(upTo), thread.row.thread.version)];
  const cells = thread.commits.range(first, last);
  if (cells.length < last - first) throw damaged("commit");
  return cells;
}
