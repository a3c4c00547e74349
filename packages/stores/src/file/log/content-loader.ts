import { damaged } from "../../codec/stored-text.ts";
import { decodeLine } from "./log-line.ts";
import type { LogRange } from "./log-range.ts";

/** Lines that lie closer together than this are read in one go, as long as that is not too much at once. */
const GAP_BYTES = 65_536;
const MOST_BYTES = 4_194_304;

/** The file that content is read from. */
export interface ContentSource {
  /** How often it was replaced: what was known of places in it before is no longer true. */
  readonly replacements: number;
  /** Undefined when the file is no longer there. */
  read(ranges: readonly LogRange[]): Promise<readonly Buffer[] | undefined>;
}

/** A caller that waits for the content of a line. */
interface Wanted {
  /** Where the line is now. */
  readonly line: () => LogRange;
  /** Gets the content; undefined when the file is gone. Throws nothing. */
  readonly take: (content: string | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads the content of lines. What is asked for in one turn is read together. */
export class ContentLoader {
  readonly #source: ContentSource;
  #wanted: Wanted[] = [];

  constructor(source: ContentSource) {
    this.#source = source;
  }

  /**
   * Reads the content of the line that something is in and opens it, before the line can become another. When the file is
   * replaced meanwhile it is read again from where it is then; undefined when the file is gone. A line that is not as it was
   * written rejects with `CORRUPT_DATA`.
   */
  load<Content>(filed: { readonly line: LogRange }, open: (content: string) => Content): Promise<Content | undefined> {
    return new Promise((resolve, reject) => {
      const take = (content: string | undefined): void => resolve(content === undefined ? undefined : open(content));
      this.#wanted.push({ line: () => filed.line, take, reject });
      if (this.#wanted.length > 1) return;
      queueMicrotask(() => {
        const wanted = this.#wanted;
        this.#wanted = [];
        void this.#readAll(wanted);
      });
    });
  }

  async #readAll(wanted: readonly Wanted[]): Promise<void> {
    try {
      for (;;) {
        const { replacements } = this.#source;
        const ranges = joinRanges(wanted.map(({ line }) => line()));
        const found = await this.#source.read(ranges);
        if (this.#source.replacements === replacements) return handOut(wanted, ranges, found);
      }
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
  }
}

function handOut(wanted: readonly Wanted[], ranges: readonly LogRange[], found: readonly Buffer[] | undefined): void {
  const contents = new Map<number, string>();
  for (const { line, take, reject } of wanted) {
    try {
      const range = line();
      const content = found && (contents.get(range.offset) ?? contentOf(range, ranges, found));
      if (content !== undefined) contents.set(range.offset, content);
      take(content);
    } catch (error) {
      reject(error);
    }
  }
}

function contentOf(range: LogRange, ranges: readonly LogRange[], found: readonly Buffer[]): string {
  const index = ranges.findLastIndex(({ offset }) => offset <= range.offset);
  const start = range.offset - (ranges[index]?.offset ?? 0);
  const bytes = found[index]?.subarray(start, start + range.length) ?? Buffer.alloc(0);
  const line = bytes.length === range.length ? decodeLine(bytes) : undefined;
  if (line?.isContentSound !== true) throw damaged("commit");
  return line.content.toString("utf8");
}

/** Few ranges that hold all the lines, in order. */
function joinRanges(wanted: readonly LogRange[]): readonly LogRange[] {
  const ranges: { offset: number; length: number }[] = [];
  for (const { offset, length } of wanted.toSorted((range, other) => range.offset - other.offset)) {
    const last = ranges.at(-1);
    const end = offset + length;
    const isNear = last !== undefined && offset - (last.offset + last.length) <= GAP_BYTES;
    if (isNear && end - last.offset <= MOST_BYTES) last.length = Math.max(last.length, end - last.offset);
    else ranges.push({ offset, length });
  }
  return ranges;
}
