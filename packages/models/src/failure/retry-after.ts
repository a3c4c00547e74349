import type { ReadHeader } from "./read-header.ts";

/** How long a provider asks to wait, by its headers: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function readRetryAfter(header: ReadHeader, nowMs: number): number | undefined {
  const ms = readNumber(header("retry-after-ms"));
  if (ms !== undefined) return ms;
  const text = header("retry-after")?.trim();
  const seconds = readNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  // A date begins with a weekday; a parser left to itself takes a stray number for a year.
  const at = text !== undefined && /^[A-Z][a-z]+,/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  // By the provider's own clock where it shows it: ours may be off by more than the wait.
  const sent = Date.parse(header("date") ?? "");
  return Math.max(0, at - (Number.isNaN(sent) ? nowMs : sent));
}

/** `34s`, `1.5s`: how Google writes a duration. */
export function readDuration(text: unknown): number | undefined {
  const seconds = typeof text === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(text)?.[1] : undefined;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function readNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim();
  return trimmed !== undefined && /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}
