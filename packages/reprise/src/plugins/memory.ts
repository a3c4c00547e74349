export type { MemoryOptions, Note, NoteSearch, NoteSearchContext, NotesOwner } from "@reprise/plugins/memory";
export { agentMemory, deleteNotes, listNotes } from "@reprise/plugins/memory";
