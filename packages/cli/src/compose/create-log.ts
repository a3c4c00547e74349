import type { Log, LogLevel } from "@reprise/contracts";
import { usageFailure } from "../output/failure.ts";
import type { Settings } from "../settings/settings.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Log lines as JSON, from a level on; `silent` is none. */
function createLog(level: string, write: (line: string) => void): Log {
  const known = [...LEVELS, "silent"];
  const least = known.indexOf(level);
  if (least === -1)
    throw usageFailure(`There is no log level ${JSON.stringify(level)}.`, `Choose one of ${known.join(", ")}.`);
  return (lineLevel, message, details = {}) => {
    if (LEVELS.indexOf(lineLevel) < least) return;
    write(`${JSON.stringify({ time: new Date().toISOString(), level: lineLevel, message, ...details })}\n`);
  };
}

/** The log that the settings ask for, on standard error. */
export function logOf(settings: Settings): Log {
  return createLog(settings.text("log"), (line) => process.stderr.write(line));
}
