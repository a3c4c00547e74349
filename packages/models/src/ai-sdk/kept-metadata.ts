import { type Message, textOf } from "@reprise/contracts";
import type { ProviderFields } from "./ai-sdk-model.ts";

/** One piece of an answer, in the order in which the model made them: its length, or the call's id, and the provider's fields. */
export type KeptPiece =
  | readonly [kind: "reasoning" | "text", length: number, fields: ProviderFields | null]
  | readonly [kind: "call", providerCallId: string, fields: ProviderFields | null];

/**
 * What a provider wants to have back with an answer: signatures of thoughts, encrypted thoughts, ids of items, and the order of it
 * all. It is stored with the message as an opaque text. The texts themselves are not in it: they are in the message.
 */
interface KeptMetadata {
  readonly format: 1;
  readonly provider: string;
  readonly pieces: readonly KeptPiece[];
}

/** Collects the pieces of an answer while it comes. */
export class MetadataWriter {
  readonly #provider: string;
  readonly #pieces: KeptPiece[] = [];
  readonly #open = new Map<string, { readonly kind: "reasoning" | "text"; readonly index: number }>();

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** A piece of text or reasoning, or something about it. */
  add(kind: "reasoning" | "text", id: string, delta: string, fields: ProviderFields | undefined): void {
    const key = `${kind} ${id}`;
    let open = this.#open.get(key);
    if (open === undefined) {
      open = { kind, index: this.#pieces.push([kind, 0, null]) - 1 };
      this.#open.set(key, open);
    }
    const [, length, known] = this.#pieces[open.index] ?? [];
    this.#pieces[open.index] = [kind, Number(length) + delta.length, merge(known ?? null, fields)];
  }

  /** The same id may come again for another piece. */
  end(kind: "reasoning" | "text", id: string, fields: ProviderFields | undefined): void {
    if (fields !== undefined) this.add(kind, id, "", fields);
    this.#open.delete(`${kind} ${id}`);
  }

  addCall(id: string, fields: ProviderFields | undefined): void {
    this.#pieces.push(["call", id, fields ?? null]);
  }

  /** The opaque text; undefined when the message itself says everything. */
  write(): string | undefined {
    const pieces = this.#pieces.filter(([kind, length, fields]) => kind === "call" || length !== 0 || fields !== null);
    if (!pieces.some(isTelling)) return undefined;
    const metadata: KeptMetadata = { format: 1, provider: this.#provider, pieces };
    return JSON.stringify(metadata);
  }
}

/** Reads what a provider wants back, if this message has something for it that still fits the message. */
export function readMetadata(message: Message, provider: string): readonly KeptPiece[] | undefined {
  if (typeof message.content === "string") return undefined;
  const reasoning = message.content.filter((part) => part.type === "reasoning");
  const metadata = parse(reasoning.find(({ encrypted }) => encrypted !== undefined)?.encrypted);
  if (metadata === undefined || metadata.provider !== provider) return undefined;
  const thought = reasoning.map(({ text }) => text).join("");
  const fits =
    lengthOf(metadata, "reasoning") === thought.length &&
    lengthOf(metadata, "text") === textOf(message).length &&
    hasSameCalls(metadata, message);
  // A message that was changed, or put together from several answers, is no longer the one the provider signed.
  return fits ? metadata.pieces : undefined;
}

/** Whether a piece says more than the message does. The id of an item the provider keeps itself says nothing to another request. */
function isTelling([kind, , fields]: KeptPiece): boolean {
  if (kind === "reasoning") return true;
  return Object.values(fields ?? {}).some((each) => Object.keys(each).some((key) => key !== "itemId"));
}

function merge(known: ProviderFields | null, added: ProviderFields | undefined): ProviderFields | null {
  if (added === undefined) return known;
  const merged: Record<string, ProviderFields[string]> = { ...known };
  for (const [provider, fields] of Object.entries(added)) merged[provider] = { ...merged[provider], ...fields };
  return merged;
}

function lengthOf({ pieces }: KeptMetadata, wanted: "reasoning" | "text"): number {
  return pieces.reduce((sum, [kind, length]) => (kind === wanted ? sum + Number(length) : sum), 0);
}

function hasSameCalls({ pieces }: KeptMetadata, { tool_calls = [] }: Message): boolean {
  const kept = pieces.filter(([kind]) => kind === "call").map(([, id]) => id);
  const stored = tool_calls.map(({ provider_call_id }) => provider_call_id);
  return kept.length === stored.length && kept.every((id, index) => id === stored[index]);
}

function parse(text: string | undefined): KeptMetadata | undefined {
  if (text === undefined || !text.startsWith("{")) return undefined;
  try {
    const value: Partial<KeptMetadata> = JSON.parse(text);
    // What another adapter keeps is its own, whatever it looks like.
    return value.format === 1 && typeof value.provider === "string" && Array.isArray(value.pieces)
      ? (value as KeptMetadata)
      : undefined;
  } catch {
    return undefined;
  }
}
