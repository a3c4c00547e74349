import {
  addSessionContext,
  changeState,
  excludeTool,
  noteContext,
  type PhaseContext,
  type Plugin,
  textOf,
} from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import {
  MEMORY_SETTINGS,
  type MemoryOptions,
  type NotebookKey,
  type NoteSearch,
  notebookOf,
} from "./memory-settings.ts";
import { MEMORY_TOOLS, memoryTools, pickNotes } from "./memory-tools.ts";
import { type Note, readNotebook } from "./notebook.ts";
import { rankNotes } from "./rank-notes.ts";
import { chooseNotes, describeShown, noteRef, type ShownNotes, shownNotes } from "./shown-notes.ts";

/**
 * Lets an agent keep notes about a resource, such as a user: the tools `remember`, `recall` and `forget`, and the notes that matter most in every
 * request. Notes belong to the tenant and the resource, so each later thread of the resource has them.
 */
export function agentMemory({ search, ...options }: MemoryOptions = {}): Plugin {
  const settings = definePluginSettings("memory", MEMORY_SETTINGS, options);
  return definePlugin({
    id: "memory",
    sections: settings.sections,
    states: [shownNotes],
    tools: memoryTools(settings, search),
    hooks: {
      async runStart(context) {
        const current = settings.read(context);
        const { max_context_characters: maximum = 2_000 } = current;
        const key = notebookOf(current, context.resourceId);
        if (key === undefined || maximum === 0) return [];
        const shown = await chooseShown(context, key, maximum, search);
        return shown.total === 0 && shown.unread === undefined ? [] : [changeState(shownNotes.set(shown))];
      },
      beforeInference(context) {
        const key = notebookOf(settings.read(context), context.resourceId);
        if (key === undefined) return [excludeTool(...MEMORY_TOOLS)];
        const { notes, total, unread } = context.state.get(shownNotes);
        const left = total - notes.length;
        const reason = unread === true ? "The notes could not be read." : `${left} of ${total} notes did not fit.`;
        return [
          ...(notes.length > 0 ? [sessionContext(key, { notes, total })] : []),
          ...(unread === true || left > 0 ? [noteContext({ omissions: [{ ...noteRef(key.id), reason }] })] : []),
        ];
      },
    },
  });
}

function sessionContext(key: NotebookKey, shown: ShownNotes) {
  const refs = shown.notes.map(({ id }) => noteRef(key.id, id));
  return addSessionContext(describeShown(shown), { key: "memory", refs });
}

/** Notes help, and no rule depends on them: a run whose notes cannot be read continues without. */
async function chooseShown(
  context: PhaseContext,
  key: NotebookKey,
  maximum: number,
  search: NoteSearch | undefined,
): Promise<ShownNotes> {
  try {
    const { notes } = readNotebook((await context.documents(key.kind).load(key.id))?.body);
    if (notes.length === 0) return { notes: [], total: 0 };
    const query = context.messages.findLast(({ role }) => role === "user");
    const ranked = await rank(context, query === undefined ? "" : textOf(query), notes, search);
    return { notes: chooseNotes(ranked, maximum), total: notes.length };
  } catch {
    context.signal.throwIfAborted();
    return { notes: [], total: 0, unread: true };
  }
}

async function rank(
  { tenant, resourceId, signal, record }: PhaseContext,
  query: string,
  notes: readonly Note[],
  search: NoteSearch | undefined,
): Promise<readonly Note[]> {
  if (search === undefined) return rankNotes(query, notes).map(({ note }) => note);
  const context = { tenant, ...(resourceId !== undefined && { resourceId }), signal };
  return pickNotes(notes, await record("search notes", async () => [...(await search(query, notes, context))]));
}
