import { damaged } from "../../codec/stored-text.ts";
import type { ContentPlace, Filed } from "../tables/cells.ts";
import { type Content, decodeContent } from "./content.ts";
import { decodeLine } from "./log-line.ts";
import type { LogRange, ThreadLog } from "./thread-log.ts";

/** Lines that lie closer together than this are read in one go, as long as that is not too much at once. */
const GAP_BYTES = 65_536;
const MOST_BYTES = 4_194_304;

/** What the log holds for cells, by cell. */
export type Contents<Cell> = ReadonlyMap<Cell, Content>;

/**
 * Reads the texts of cells. When the log is replaced meanwhile they are read again from where they are then; undefined when
 * the thread is gone. A line that is not as it was written throws `CORRUPT_DATA`.
 */
export async function loadContents<Cell extends Filed>(
  log: ThreadLog,
  cells: readonly Cell[],
): Promise<Contents<Cell> | undefined> {
  if (cells.length === 0) return new Map();
  for (;;) {
    const { replacements } = log;
    const places = cells.map(({ place }) => place);
    const ranges = joinRanges(places);
    const found = await log.read(ranges);
    if (log.replacements !== replacements) continue;
    if (found === undefined) return undefined;
    const lines = new Map<number, readonly Content[]>();
    const items = places.map((place) => {
      const line = lines.get(place.offset) ?? openLine(place, ranges, found);
      lines.set(place.offset, line);
      return line[place.item];
    });
    return new Map(cells.map((cell, index) => [cell, items[index] ?? missing()]));
  }
}

function openLine(place: ContentPlace, ranges: readonly LogRange[], found: readonly Buffer[]): readonly Content[] {
  const index = ranges.findLastIndex(({ offset }) => offset <= place.offset);
  const start = place.offset - (ranges[index]?.offset ?? 0);
  const bytes = found[index]?.subarray(start, start + place.length) ?? Buffer.alloc(0);
  const line = bytes.length === place.length ? decodeLine(bytes) : undefined;
  if (line?.isContentSound !== true) throw damaged("changeset");
  return decodeContent(line.content);
}

function missing(): never {
  throw damaged("changeset");
}

/** Few ranges that hold all the lines, in order. */
function joinRanges(places: readonly ContentPlace[]): readonly LogRange[] {
  const ranges: { offset: number; length: number }[] = [];
  for (const { offset, length } of places.toSorted((place, other) => place.offset - other.offset)) {
    const last = ranges.at(-1);
    const end = offset + length;
    const isNear = last !== undefined && offset - (last.offset + last.length) <= GAP_BYTES;
    if (isNear && end - last.offset <= MOST_BYTES) last.length = Math.max(last.length, end - last.offset);
    else ranges.push({ offset, length });
  }
  return ranges;
}
