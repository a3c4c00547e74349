import { createHash } from "node:crypto";
import { type AgentEvent, decodeEvent, encodeEvent, isOpaque, type LiveEvent, type LiveKey } from "@reprise/contracts";
import { parseJson } from "@reprise/state";

/** The subject of a run: ids are hashed, since any text may be one. */
export function subjectOf(prefix: string, { tenant, run_id }: LiveKey): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([tenant, run_id]))
    .digest("base64url");
  return `${prefix}.run.${hash}`;
}

/** The subject of those who begin to follow a run. */
export function askSubject(prefix: string): string {
  return `${prefix}.ask`;
}

/** An event as it travels: its epoch, a line break, and the event as JSON. */
export function encodeLive({ epoch, event }: LiveEvent): string {
  return `${epoch}\n${encodeEvent(event)}`;
}

/** Reads what came. Undefined is nothing that a reader of this version could use. */
export function decodeLive(text: string): LiveEvent | undefined {
  const end = text.indexOf("\n");
  const epoch = Number(text.slice(0, end));
  if (end < 1 || !Number.isSafeInteger(epoch) || epoch < 0) return undefined;
  try {
    const event = decodeEvent(text.slice(end + 1));
    if (isOpaque(event)) return undefined;
    // Empty data is left out on its way, and an event always has data.
    return { epoch, event: { data: {}, ...event } as AgentEvent };
  } catch {
    return undefined;
  }
}

export function encodeAsk({ tenant, run_id }: LiveKey): string {
  return JSON.stringify([tenant, run_id]);
}

export function decodeAsk(text: string): LiveKey | undefined {
  try {
    const read = parseJson(text);
    if (!Array.isArray(read) || read.length !== 2) return undefined;
    const [tenant, run_id] = read;
    return typeof tenant === "string" && typeof run_id === "string" ? { tenant, run_id } : undefined;
  } catch {
    return undefined;
  }
}
