import type { AgentEvent, TenantStore } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** Values that were put somewhere, and the way to read them back from there. */
export interface Reading {
  readonly place: string;
  readonly expected: readonly Json[];
  read(tenant: TenantStore): Promise<readonly (Json | undefined)[]>;
}

/** A value that did not come back as it was put. */
export interface Difference {
  readonly place: string;
  readonly put: string;
  readonly got: string;
}

const SHOWN_BEFORE = 40;
const SHOWN_AFTER = 80;

/** What came back otherwise. Values are the same when their JSON text is, byte by byte. */
export async function findDifferences({ place, expected, read }: Reading, tenant: TenantStore): Promise<Difference[]> {
  const got = await read(tenant);
  const differences: Difference[] = [];
  for (let index = 0; index < Math.max(expected.length, got.length); index += 1) {
    const [put, found] = [expected[index], got[index]];
    if (isSame(put, found)) continue;
    differences.push({ place: `${place} [${index}]`, ...show(put, found) });
  }
  return differences;
}

/** An event as one value, whatever the order of its fields; the order inside its data counts. */
export function eventValue({ type, run_id, thread_id, seq, timestamp_ms, step_id, data }: AgentEvent): Json {
  return [type, run_id, thread_id, asJson(seq), timestamp_ms, asJson(step_id), asJson(data)];
}

/** Records are JSON, which their interfaces hide from the compiler; what is left out is null here. */
export function asJson(value: unknown): Json {
  return (value ?? null) as Json;
}

function isSame(put: Json | undefined, found: Json | undefined): boolean {
  if (put === undefined || found === undefined) return false;
  const text = JSON.stringify(found);
  return text === JSON.stringify(put) || text === JSON.stringify(wellFormed(put));
}

/** The value with every half character replaced. */
function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}

/** Both texts around the first place where they differ. */
function show(put: Json | undefined, found: Json | undefined): Pick<Difference, "put" | "got"> {
  const [one, other] = [JSON.stringify(put) ?? "nothing", JSON.stringify(found) ?? "nothing"];
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [from, to] = [Math.max(at - SHOWN_BEFORE, 0), at + SHOWN_AFTER];
  return { put: one.slice(from, to), got: other.slice(from, to) };
}
