export type { NotesOwner } from "./kept-notes.ts";
export { deleteNotes, listNotes } from "./kept-notes.ts";
export { agentMemory } from "./memory.ts";
export type { MemoryOptions, NoteSearch, NoteSearchContext } from "./memory-settings.ts";
export type { Note } from "./notebook.ts";
