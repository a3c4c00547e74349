import { COMMIT_TEXTS } from "../../codec/columns/commit-columns.ts";
import type { RunCell } from "../../tables/cells.ts";
import type { ThreadTables } from "../../tables/thread-tables.ts";
import { FiledCommit, FiledSnapshot } from "./filed-content.ts";
import { LineContent } from "./line-content.ts";
import { encodeLine } from "./log-line.ts";
import type { LogRange } from "./log-range.ts";
import { type KindOfRow, storeRow } from "./stored-rows.ts";
import type { StoredCommit, StoredSnapshot, StoredWrite } from "./stored-write.ts";
import type { ThreadLog } from "./thread-log.ts";

/** How many commits are held in memory at a time. */
const CHUNK = 100;

/**
 * Rewrites a thread's log without rows that changed since and without pruned texts. The caller must hold the right to append to the
 * log. A failure leaves the log as it is.
 */
export async function rewriteLog(thread: ThreadTables, log: ThreadLog): Promise<void> {
  const moves: (() => void)[] = [];
  await log.replace(
    async (append) => {
      await append((durable) => lineOf(durable, [...rowsOf(thread)]));
      for (const cells of chunksOf([...thread.commits, ...thread.snapshots])) {
        const written = await Promise.all(cells.map((cell) => writeAnew(cell, log)));
        for (const { stored, content, moveTo } of written) {
          const line = await append((durable) => lineOf(durable, [stored], content));
          moves.push(() => moveTo(line));
        }
      }
      await append((durable) => lineOf(durable, thread.superseded.map(toSupersede)));
    },
    () => {
      for (const move of moves) move();
    },
  );
}

function lineOf(durable: number, writes: readonly StoredWrite[], content?: string): Buffer {
  return encodeLine(JSON.stringify(writes), content, durable);
}

function toSupersede(range: ThreadTables["superseded"][number]): StoredWrite {
  return { write: "supersede", range };
}

interface WrittenAnew {
  readonly stored: StoredCommit | StoredSnapshot;
  readonly content: string | undefined;
  /** To be called when the new file counts. */
  moveTo(line: LogRange): void;
}

async function writeAnew(cell: unknown, log: ThreadLog): Promise<WrittenAnew> {
  const content = new LineContent();
  if (cell instanceof FiledCommit) {
    const texts = await log.load(cell, (line) => cell.textsIn(line));
    if (texts !== undefined) {
      const stored = storeAnew(cell, texts, content);
      return { stored, content: content.text, moveTo: (line) => cell.moveTo(stored, line) };
    }
  }
  if (cell instanceof FiledSnapshot) {
    const state = await log.load(cell, (line) => cell.stateIn(line));
    if (state !== undefined) {
      const stored = { ...cell.stored, part: content.add(["state"], { state }) };
      return { stored, content: content.text, moveTo: (line) => cell.moveTo(stored, line) };
    }
  }
  throw new Error("The log vanished while it was written anew.");
}

/** Of a commit that is pruned only the messages and the calls are left. */
function storeAnew(cell: FiledCommit, texts: ReturnType<FiledCommit["textsIn"]>, content: LineContent): StoredCommit {
  const kept = cell.is_pruned ? texts.map((part) => ({ ...part, patches: "", events: "", rest: "" })) : texts;
  return {
    ...cell.stored,
    ...(cell.is_pruned ? { is_pruned: true } : {}),
    parts: kept.map((part) => content.add(COMMIT_TEXTS, part)),
  };
}

/** Every row of a thread as a new one, in an order in which each finds what it belongs to. */
function* rowsOf(thread: ThreadTables): Iterable<StoredWrite> {
  const { row, order, mailbox, runs, tenant } = thread;
  const store = (kind: KindOfRow, order: number): readonly StoredWrite[] => {
    const stored = storeRow(thread, kind, order);
    return stored === undefined ? [] : [stored];
  };
  if (row !== undefined) yield* store({ write: "thread", row }, order);
  if (thread.blobRefs.size > 0) yield { write: "refer", refs: [...thread.blobRefs] };
  for (const entry of mailbox.entries.values()) yield* store({ write: "entry", row: entry.row }, entry.order);
  for (const run of runs.values()) yield* rowsOfRun(run, store);
  for (const { run, call_id, pending_id, order } of tenant.suspended.values()) {
    if (run.thread !== thread) continue;
    yield { write: "suspended", call: { run_id: run.row.record.run_id, call_id }, pending_id, order };
  }
}

function* rowsOfRun(
  { row, order, decisions }: RunCell,
  store: (kind: KindOfRow, order: number) => readonly StoredWrite[],
): Iterable<StoredWrite> {
  yield* store({ write: "run", row }, order);
  for (const decision of decisions?.values() ?? [])
    yield* store({ write: "decision", row: decision.row }, decision.order);
}

function* chunksOf<Cell>(cells: readonly Cell[]): Iterable<readonly Cell[]> {
  for (let start = 0; start < cells.length; start += CHUNK) yield cells.slice(start, start + CHUNK);
}
