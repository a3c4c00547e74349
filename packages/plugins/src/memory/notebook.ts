import { needed, nonEmptyText, objectOf, text, wholeNumberFrom } from "@reprise/contracts/shape";
import { getAt, type Json } from "@reprise/state";

/** Something that an agent learned and keeps for later threads. */
export interface Note {
  /** Short, such as `n3`, and never used twice in one notebook. */
  readonly id: string;
  readonly text: string;
  /** Where the note comes from. */
  readonly threadId: string;
  readonly runId: string;
  readonly callId: string;
  readonly agentId: string;
  readonly createdAt: number;
  /** Later than `createdAt` when the agent kept the same text again. */
  readonly updatedAt: number;
}

/** The notes of one resource: the body of one document. */
export interface Notebook {
  /** The number of the next note. */
  readonly next: number;
  /** In the order in which they were first kept. */
  readonly notes: readonly Note[];
}

export interface NotebookLimits {
  readonly maxNotes: number;
  readonly maxBytes: number;
}

interface StoredNote {
  readonly id: string;
  readonly text: string;
  readonly thread_id: string;
  readonly run_id: string;
  readonly call_id: string;
  readonly agent_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

const NOTE = objectOf<StoredNote>({
  id: needed(nonEmptyText),
  text: needed(nonEmptyText),
  thread_id: needed(text),
  run_id: needed(text),
  call_id: needed(text),
  agent_id: needed(text),
  created_at: needed(wholeNumberFrom(0)),
  updated_at: needed(wholeNumberFrom(0)),
});

const EMPTY: Notebook = { next: 1, notes: [] };

/** Reads the body of a document. Entries that are no notes are left out: a damaged entry must not take the others with it. */
export function readNotebook(body: Json | undefined): Notebook {
  const notes = getAt(body ?? null, ["notes"]);
  if (!Array.isArray(notes)) return EMPTY;
  const read = notes.filter((note) => NOTE.problems(note, []).length === 0).map((note) => readNote(note as never));
  const next = getAt(body ?? null, ["next"]);
  // An id must stay taken, also where the counter is damaged.
  const highest = Math.max(0, ...read.map(({ id }) => Number(/^n(\d{1,15})$/.exec(id)?.[1] ?? 0)));
  return {
    next: Math.max(highest + 1, typeof next === "number" && Number.isSafeInteger(next) ? next : 1),
    notes: read,
  };
}

function readNote({ thread_id, run_id, call_id, agent_id, created_at, updated_at, ...note }: StoredNote): Note {
  return {
    ...note,
    threadId: thread_id,
    runId: run_id,
    callId: call_id,
    agentId: agent_id,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

/** The body of the document that keeps a notebook. */
export function writeNotebook({ next, notes }: Notebook): Json {
  return { next, notes: notes.map((note): Json => writeNote(note)) };
}

function writeNote({ id, text: kept, threadId, runId, callId, agentId, createdAt, updatedAt }: Note): Json {
  return {
    id,
    text: kept,
    thread_id: threadId,
    run_id: runId,
    call_id: callId,
    agent_id: agentId,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** A notebook with one more note, and what became of the others. */
export interface Kept {
  readonly notebook: Notebook;
  readonly note: Note;
  /** The ids of notes that had to make room. */
  readonly evicted: readonly string[];
}

/**
 * Keeps a note. A text that is kept already is renewed instead, and a call that is executed again finds its note. Where the notebook is full,
 * the notes that were renewed longest ago make room.
 */
export function keepNote(
  { next, notes }: Notebook,
  given: Omit<Note, "id" | "createdAt" | "updatedAt">,
  now: number,
  limits: NotebookLimits,
): Kept {
  const isOfCall = ({ runId, callId }: Note): boolean => runId === given.runId && callId === given.callId;
  const known = notes.find(isOfCall) ?? notes.find((each) => each.text === given.text);
  const note = known === undefined ? { ...given, id: `n${next}`, createdAt: now, updatedAt: now } : renew(known, now);
  const all = known === undefined ? [...notes, note] : notes.map((each) => (each === known ? note : each));
  const kept = evict(all, note, limits);
  return {
    notebook: { next: known === undefined ? next + 1 : next, notes: kept },
    note,
    evicted: all.filter((each) => !kept.includes(each)).map(({ id }) => id),
  };
}

function renew(note: Note, now: number): Note {
  return { ...note, updatedAt: Math.max(note.updatedAt, now) };
}

function evict(notes: readonly Note[], added: Note, { maxNotes, maxBytes }: NotebookLimits): readonly Note[] {
  const oldest = notes.filter((note) => note !== added).toSorted((one, other) => one.updatedAt - other.updatedAt);
  const gone = new Set<Note>();
  const sizes = new Map(notes.map((note) => [note, sizeOf(note)]));
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  for (const note of oldest) {
    if (notes.length - gone.size <= maxNotes && bytes <= maxBytes) break;
    gone.add(note);
    bytes -= sizes.get(note) ?? 0;
  }
  return notes.filter((note) => !gone.has(note));
}

function sizeOf(note: Note): number {
  return new TextEncoder().encode(JSON.stringify(writeNote(note))).byteLength + 1;
}

/** A notebook without a note. */
export function dropNote(notebook: Notebook, id: string): Notebook {
  return { ...notebook, notes: notebook.notes.filter((note) => note.id !== id) };
}
