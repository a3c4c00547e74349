import type { Message } from "@reprise/contracts";

/** The ids by which the calls of a request go over the wire, and the tools they called. */
export interface CallIds {
  /** The provider's id of a call by ours. */
  toWire(callId: string): string;
  /** The tool a result belongs to. */
  toolOf(callId: string): string | undefined;
}

/**
 * A call has the id its provider gave it, as long as that is one any provider takes and no other call of the request has it:
 * some models count from one in every answer. Otherwise it has ours, cut to what providers take.
 */
export function assignCallIds(messages: readonly Message[]): CallIds {
  const wire = new Map<string, string>();
  const tools = new Map<string, string>();
  const taken = new Set<string>();
  for (const { tool_calls = [] } of messages) {
    for (const { id, provider_call_id, name } of tool_calls) {
      const wanted = provider_call_id !== undefined && isPlain(provider_call_id) ? provider_call_id : shorten(id);
      const chosen = freeId(taken.has(wanted) ? shorten(id) : wanted, taken);
      taken.add(chosen);
      wire.set(id, chosen);
      tools.set(id, name);
    }
  }
  return { toWire: (id) => wire.get(id) ?? shorten(id), toolOf: (id) => tools.get(id) };
}

const LONGEST = 64;

function isPlain(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id);
}

/** The end of an id is what tells the calls of one run apart. */
function shorten(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(-LONGEST);
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  let id = wanted;
  for (let count = 2; taken.has(id); count++) id = `${wanted.slice(0, LONGEST - 6)}_${count}`;
  return id;
}
