// Made once: a format takes longer to make than a thousand times take to write.
const CLOCK = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
const EXACT_CLOCK = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });

/** A time of day, with the date when it is not today. */
export function formatTime(time: number, withSeconds = false): string {
  const date = new Date(time);
  const clock = (withSeconds ? EXACT_CLOCK : CLOCK).format(date);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? clock : `${DAY.format(date)} ${clock}`;
}

/** How long something took, short. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

/** Time that is left, as a clock that runs down. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds >= 3600) return formatDuration(ms);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Money, given in millionths of a cent. */
export function formatCost(microcents: number): string {
  const dollars = microcents / 100_000_000;
  if (dollars === 0) return "$0";
  if (dollars >= 1) return `$${dollars.toFixed(2)}`;
  // A number drops the zeros at its end.
  return `$${Number(dollars.toFixed(dollars >= 0.01 ? 3 : 5))}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString("en");
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** JSON with indentation, for people. */
export function pretty(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
