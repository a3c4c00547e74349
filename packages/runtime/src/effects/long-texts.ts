import type { BlobStore, Effect, EffectText, Env } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import type { EffectKind } from "./port.ts";

/** Texts of effects longer than this are stored once, by their content. */
const LONGEST_TEXT = 4_096;

/** A blob that nothing refers to is collected after a day: what was put this long ago is put again before it is referred to. */
const PUT_AGAIN_MS = 3_600_000;
const REMEMBERED = 1_000;
const REMEMBERED_REFS = 20;

/** Effects that hold what authors and people wrote; all others are short. */
const MAY_BE_LONG: ReadonlySet<string> = new Set<EffectKind>([
  "definition",
  "activate",
  "tools",
  "phase",
  "execute",
  "reduce",
  "rebase",
  "backend",
  "inbox",
  "decision",
  "calls",
  "reload",
]);

/** When this process last put a text, by blob store and reference. */
const puts = new WeakMap<BlobStore, Map<string, number>>();

/** Moves the long texts of one activation's effects into blobs. */
export class LongTexts {
  readonly #blobs: BlobStore;
  readonly #tenant: string;
  readonly #env: Pick<Env, "hash" | "clock">;
  readonly #waiting = new Map<string, string>();

  constructor(blobs: BlobStore, tenant: string, env: Pick<Env, "hash" | "clock">) {
    this.#blobs = blobs;
    this.#tenant = tenant;
    this.#env = env;
  }

  /** Whether there are texts to put. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** An effect with its long texts taken out. */
  separate(effect: Effect): Effect {
    const { kind, value } = effect;
    if (value === undefined || !MAY_BE_LONG.has(kind)) return effect;
    // Every run of an agent has the same definition, so its text is stored once however short it is.
    if (kind === "definition" && typeof value === "string") {
      return { ...effect, value: "", texts: [{ path: [], ref: this.#keep(value) }] };
    }
    if (!hasLongText(value)) return effect;
    const texts: EffectText[] = [];
    return { ...effect, value: this.#shorten(value, [], texts), texts };
  }

  /** Makes the texts durable. */
  async flush(): Promise<void> {
    const known = puts.get(this.#blobs) ?? new Map<string, number>();
    puts.set(this.#blobs, known);
    for (const [ref, text] of this.#waiting) {
      const key = `${this.#tenant} ${ref}`;
      const now = this.#env.clock.mono();
      const last = known.get(key);
      if (last === undefined || now - last > PUT_AGAIN_MS) {
        // A run must not fail because of its recording.
        const options = { media_type: "text/plain", quota_bytes: Number.POSITIVE_INFINITY };
        await this.#blobs.put(this.#tenant, new TextEncoder().encode(text), options);
        known.delete(key);
        known.set(key, now);
        const [oldest] = known.keys();
        if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
      }
      this.#waiting.delete(ref);
    }
  }

  #keep(text: string): string {
    const ref = refOf(text, this.#env);
    this.#waiting.set(ref, text);
    return ref;
  }

  #shorten(value: Json, path: readonly (string | number)[], texts: EffectText[]): Json {
    if (typeof value === "string") {
      if (value.length <= LONGEST_TEXT) return value;
      texts.push({ path, ref: this.#keep(value) });
      return "";
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item, index) => this.#shorten(item, [...path, index], texts));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#shorten(item, [...path, key], texts)]),
    );
  }
}

/** The definition of an agent is the same text in every run. */
const refs = new Map<string, string>();

function refOf(text: string, { hash }: Pick<Env, "hash">): string {
  const known = refs.get(text);
  if (known !== undefined) return known;
  const ref = `blob:${hash(text)}`;
  refs.set(text, ref);
  const [oldest] = refs.keys();
  if (refs.size > REMEMBERED_REFS && oldest !== undefined) refs.delete(oldest);
  return ref;
}

function hasLongText(value: Json): boolean {
  if (typeof value === "string") return value.length > LONGEST_TEXT;
  if (typeof value !== "object" || value === null) return false;
  // An answer may hold a catalogue of tools: lists are walked by position, which costs less than by name.
  if (Array.isArray(value)) {
    for (const item of value) if (hasLongText(item)) return true;
    return false;
  }
  for (const key in value) {
    const item = (value as JsonObject)[key];
    if (typeof item === "string" ? item.length > LONGEST_TEXT : typeof item === "object" && hasLongText(item))
      return true;
  }
  return false;
}

/** The blobs that effects refer to. */
export function textRefsOf(effects: readonly Effect[]): readonly string[] {
  // Mostly there are none.
  if (!effects.some(({ texts }) => texts !== undefined)) return [];
  return effects.flatMap(({ texts = [] }) => texts.map(({ ref }) => ref));
}
