import type { Times } from "../statistics.ts";

/** The first columns are text, the others are numbers and aligned as such. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[], textColumns = 1): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map((_, column) => (column < textColumns ? "---" : "---:"))), ...rows.map(line)].join(
    "\n",
  );
}

export function formatMs(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2);
}

/** p50 and p99. */
export function formatTimes({ p50, p99 }: Times): string {
  return `${formatMs(p50)} / ${formatMs(p99)}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

export function formatMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
