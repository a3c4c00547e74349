import { plainText } from "./plain-text.ts";

/** Rows in columns, each as wide as its widest value; the last is as wide as it likes. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const clean = [head, ...rows].map((row) => row.map((value) => plainText(value).replace(/\s+/g, " ")));
  const widths = head.map((_, column) => Math.max(...clean.map((row) => Array.from(row[column] ?? "").length)));
  const pad = (value: string, column: number): string => {
    const isLast = column === head.length - 1;
    return isLast ? value : value + " ".repeat(Math.max(0, (widths[column] ?? 0) - Array.from(value).length));
  };
  return clean.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}
