import { type KeptDocuments, type Tool, type ToolContext, ToolError } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { PluginSettings } from "../settings/plugin-settings.ts";
import { limitsOf, type MemorySettings, type NoteSearch, notebookOf } from "./memory-settings.ts";
import { dropNote, keepNote, type Note, type Notebook, readNotebook, writeNotebook } from "./notebook.ts";
import { rankNotes } from "./rank-notes.ts";
import { shownNotes } from "./shown-notes.ts";

export const MEMORY_TOOLS = ["remember", "recall", "forget"] as const;

/** Every round of a compare-and-set has a winner, so this many writers at once all get their turn. */
const MAX_ATTEMPTS = 64;

const MAX_RECALLED = 50;

/** The tools of an agent that keeps notes. */
export function memoryTools(settings: PluginSettings<MemorySettings>, search: NoteSearch | undefined): readonly Tool[] {
  const open = (context: ToolContext) => openNotebook(settings.read(context), context);
  const remember = defineTool({
    id: "remember",
    description:
      "Keeps a note for later conversations: a lasting fact, preference or decision, in one self-contained sentence. Not for secrets, and not for what only matters now.",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string", minLength: 1, description: "The note." } },
      required: ["text"],
      additionalProperties: false,
    },
    // A call that is executed again after a crash finds its own note.
    idempotent: true,
    async execute(input, context) {
      const text = textIn(input, "text").trim().toWellFormed();
      const current = settings.read(context);
      const { max_note_characters: maximum = 500 } = current;
      if (text === "") throw new ToolError("invalid_arguments", "The note is empty.");
      if (text.length > maximum) {
        throw new ToolError("invalid_arguments", `The note has ${text.length} characters; the limit is ${maximum}.`);
      }
      const { threadId, runId, callId, agentId } = context.identity;
      const given = { text, threadId, runId, callId, agentId };
      let kept = { id: "", evicted: [] as readonly string[] };
      await open(context).change((notebook) => {
        const { notebook: changed, note, evicted } = keepNote(notebook, given, context.now, limitsOf(current));
        kept = { id: note.id, evicted };
        return changed;
      });
      for (const id of kept.evicted) context.state.apply(shownNotes.drop(id));
      return { id: kept.id, ...(kept.evicted.length > 0 && { dropped_for_room: kept.evicted }) };
    },
  });
  const recall = defineTool({
    id: "recall",
    description: "Finds notes from earlier conversations. Without a query it lists the newest.",
    class: "read_only",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "Words that the notes are about." },
        limit: { type: "integer", minimum: 1, maximum: MAX_RECALLED, description: "How many notes; 10 unless given." },
      },
      additionalProperties: false,
    },
    async execute(input, context) {
      const query = textIn(input, "query").trim();
      const { notes } = await open(context).read();
      const found = await findNotes(query, notes, search, context);
      const limit = numberIn(input, "limit") ?? 10;
      return { notes: found.slice(0, limit).map(describeNote), total: notes.length };
    },
  });
  const forget = defineTool({
    id: "forget",
    description: "Deletes a note that is wrong, outdated or unwanted.",
    idempotent: true,
    inputSchema: {
      type: "object",
      properties: { id: { type: "string", minLength: 1, description: "The id of the note, such as n3." } },
      required: ["id"],
      additionalProperties: false,
    },
    async execute(input, context) {
      const id = textIn(input, "id");
      let isThere = false;
      await open(context).change((notebook) => {
        isThere = notebook.notes.some((note) => note.id === id);
        return isThere ? dropNote(notebook, id) : notebook;
      });
      context.state.apply(shownNotes.drop(id));
      return { forgotten: isThere };
    },
  });
  return [remember, recall, forget];
}

/** Without a query the newest notes; with one those that match it. */
async function findNotes(
  query: string,
  notes: readonly Note[],
  search: NoteSearch | undefined,
  { record, identity, signal }: ToolContext,
): Promise<readonly Note[]> {
  if (query === "" || search === undefined) {
    return rankNotes(query, notes)
      .filter(({ score }) => query === "" || score > 0)
      .map(({ note }) => note);
  }
  const { tenant, resourceId } = identity;
  const context = { tenant, ...(resourceId !== undefined && { resourceId }), signal };
  return pickNotes(notes, await record("search notes", async () => [...(await search(query, notes, context))]));
}

/** The notes with these ids, in their order. A search function may return an id that is gone, or one twice. */
export function pickNotes(notes: readonly Note[], ids: readonly string[]): readonly Note[] {
  return [...new Set(ids)].flatMap((id) => notes.find((note) => note.id === id) ?? []);
}

function describeNote({ id, text, threadId, runId, agentId, updatedAt }: Note): Json {
  return {
    id,
    text,
    noted_at: new Date(updatedAt).toISOString(),
    thread_id: threadId,
    run_id: runId,
    agent_id: agentId,
  };
}

interface OpenNotebook {
  read(): Promise<Notebook>;
  /** Applies a change to the newest notebook, again until no other writer comes between. */
  change(change: (notebook: Notebook) => Notebook): Promise<void>;
}

function openNotebook(settings: MemorySettings, { documents, identity }: ToolContext): OpenNotebook {
  const key = notebookOf(settings, identity.resourceId);
  if (key === undefined) {
    throw new ToolError("denied", "Notes belong to a resource, such as a user, and this conversation has none.");
  }
  const stored: KeptDocuments = documents(key.kind);
  return {
    read: async () => readNotebook((await stored.load(key.id))?.body),
    change: async (change) => {
      let document = await stored.load(key.id);
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const before = readNotebook(document?.body);
        const after = change(before);
        if (after === before) return;
        const saved = await stored.save(key.id, writeNotebook(after), document?.revision ?? 0);
        if (saved.saved) return;
        ({ document } = saved);
      }
      throw new ToolError("execution_failed", "Too many writers change these notes at the moment. Try again.");
    },
  };
}

/** The schema of a tool was checked before; what is not given is empty. */
function textIn(input: unknown, field: string): string {
  const value = (input as { readonly [field: string]: unknown } | undefined)?.[field];
  return typeof value === "string" ? value : "";
}

function numberIn(input: unknown, field: string): number | undefined {
  const value = (input as { readonly [field: string]: unknown } | undefined)?.[field];
  return typeof value === "number" ? value : undefined;
}
