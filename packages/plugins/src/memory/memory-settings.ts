import {
  narrowed,
  type ObjectShape,
  objectOf,
  oneOf,
  optional,
  type Shape,
  textLike,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { Note, NotebookLimits } from "./notebook.ts";

/** The context of a search function, beside the query and the notes. */
export interface NoteSearchContext {
  readonly tenant: string;
  /** Absent for notes that the tenant shares. */
  readonly resourceId?: string;
  readonly signal: AbortSignal;
}

/**
 * Finds the notes that answer a query and returns their ids, best first. A note whose id is not returned is left out. The answer is stored with
 * the run, so a replay does not search again.
 */
export type NoteSearch = (
  query: string,
  notes: readonly Note[],
  context: NoteSearchContext,
) => readonly string[] | Promise<readonly string[]>;

export interface MemoryOptions {
  /** How many notes a resource may have; 100 unless given. A full notebook drops the notes that were kept or renewed longest ago. */
  readonly maxNotes?: number;
  /** How long a note may be; 500 characters unless given. */
  readonly maxNoteCharacters?: number;
  /** How many characters of notes the model reads in each inference; 2,000 unless given. 0 leaves the notes to the tool `recall`. */
  readonly maxContextCharacters?: number;
  /** The notes of threads without a resource: none (`off`, the default), or notes that the whole tenant shares (`tenant`). */
  readonly withoutResource?: "off" | "tenant";
  /** Agents with different namespaces do not see each other's notes. Agents without one share their notes. */
  readonly namespace?: string;
  /** Replaces the ranking by keywords. Only in code. */
  readonly search?: NoteSearch;
}

export interface MemorySettings {
  readonly max_notes?: number;
  readonly max_note_characters?: number;
  readonly max_context_characters?: number;
  readonly without_resource?: "off" | "tenant";
  readonly namespace?: string;
}

export const MEMORY_SETTINGS: ObjectShape<MemorySettings> = objectOf<MemorySettings>({
  max_notes: optional(upTo(1_000), "How many notes a resource may have; 100 unless given."),
  max_note_characters: optional(upTo(4_000), "How long a note may be; 500 characters unless given."),
  max_context_characters: optional(
    wholeNumberFrom(0),
    "How many characters of notes the model reads in each inference; 2,000 unless given, 0 for none.",
  ),
  without_resource: optional(
    oneOf("off", "tenant"),
    "What threads without a resource use: no notes (`off`, the default), or notes that the whole tenant shares.",
  ),
  namespace: optional(
    textLike("1 to 64 letters, digits, _ or -", "^[A-Za-z0-9_-]{1,64}$"),
    "Agents with different namespaces do not see each other's notes.",
  ),
});

function upTo(maximum: number): Shape<number> {
  return narrowed(wholeNumberFrom(1), (value) =>
    Number(value) > maximum ? `must be at most ${maximum} (got ${String(value)})` : undefined,
  );
}

/** A document may have 256 KiB; this leaves room for the rest of its body. */
const MAX_NOTEBOOK_BYTES = 250_000;

export function limitsOf({ max_notes = 100 }: MemorySettings): NotebookLimits {
  return { maxNotes: max_notes, maxBytes: MAX_NOTEBOOK_BYTES };
}

/** Whose notes: the kind and the id of the document that keeps them. */
export interface NotebookKey {
  readonly kind: string;
  readonly id: string;
}

/** The notebook of a run. Undefined when the run has no resource and shares none with its tenant. */
export function notebookOf(
  { namespace, without_resource = "off" }: MemorySettings,
  resourceId: string | undefined,
): NotebookKey | undefined {
  return resourceId === undefined && without_resource === "off" ? undefined : notebookKey(resourceId, namespace);
}

/** The notebook of a resource; without one, that of the tenant. */
export function notebookKey(resourceId: string | undefined, namespace: string | undefined): NotebookKey {
  const kind = namespace === undefined ? "memory" : `memory.${namespace}`;
  return { kind, id: resourceId === undefined ? "tenant" : `resource:${escapeId(resourceId)}` };
}

/** Resources may be named by any text, and documents may not. No two resources have the same escaped name. */
function escapeId(resourceId: string): string {
  return resourceId.replace(/[^A-Za-z0-9._@+-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
