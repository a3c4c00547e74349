import { usageFailure } from "../output/failure.ts";
import type { SettingName } from "./setting-table.ts";
import type { Settings } from "./settings.ts";

/** An hour: more is a mistake in the unit. */
const MOST = 3_600_000;

/** A setting that is a time. */
export function readMilliseconds(settings: Settings, name: SettingName): number {
  const text = settings.text(name);
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= MOST) return value;
  const said = JSON.stringify(text);
  throw usageFailure(
    `${settings.flagOf(name)} must be a whole number of milliseconds from 0 to ${MOST} (got ${said}).`,
  );
}
