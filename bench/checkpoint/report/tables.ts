/** The first `textColumns` columns are text, the others numbers and aligned as such. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns: number,
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = heads.map((_, column) => (column < textColumns ? "---" : "---:"));
  return [line(heads), line(rule), ...rows.map(line)].join("\n");
}

export function formatMs(ms: number): string {
  if (Number.isNaN(ms)) return "–";
  return ms >= 10 ? ms.toFixed(1) : ms >= 1 ? ms.toFixed(2) : ms.toFixed(3);
}

export function formatDigits(value: number): string {
  if (Number.isNaN(value)) return "–";
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function formatKilobytes(bytes: number): string {
  return (bytes / 1_000).toLocaleString("en-US", { maximumFractionDigits: 0 });
}
