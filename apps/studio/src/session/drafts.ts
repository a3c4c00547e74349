import { Observable } from "../api/observable.ts";
import { fieldsOf, type ShownFile } from "../log/block.ts";

/** What a person has written and not sent. */
export interface Said {
  readonly text: string;
  readonly files: readonly ShownFile[];
}

/** A message that is being written on one thread. */
export interface Draft extends Said {
  /** Files that are on their way to the server. */
  readonly uploading: number;
  /** Set while an earlier message is written anew: which one, and what stood in the field before. */
  readonly editing?: { readonly runId: string; readonly agentId: string; readonly before: Said };
}

const EMPTY: Draft = { text: "", files: [], uploading: 0 };
const PREFIX = "reprise.draft.";

/** Drafts are kept by thread, so that going elsewhere and coming back, or loading the page again, loses none and mixes none. */
const open = new Map<string, Observable<Draft>>();

/** The draft of a thread, or of the thread that the next message begins. */
export function draftOf(threadId: string | undefined): Observable<Draft> {
  const key = threadId ?? "";
  const known = open.get(key);
  if (known !== undefined) return known;
  const draft = new Observable<Draft>(readStored(key));
  open.set(key, draft);
  return draft;
}

export function changeDraft(threadId: string | undefined, change: (draft: Draft) => Draft): void {
  const draft = draftOf(threadId);
  draft.set(change(draft.value));
  store(threadId ?? "", draft.value);
}

/** Takes the message out of its field, to be sent. */
export function takeDraft(threadId: string | undefined): void {
  changeDraft(threadId, ({ uploading }) => ({ ...EMPTY, uploading }));
}

/** Puts a message that was refused back, before what was written meanwhile. */
export function returnDraft(threadId: string | undefined, said: Said, editing: Draft["editing"]): void {
  changeDraft(threadId, (now) => ({
    ...now,
    text: [said.text, now.text].filter((text) => text !== "").join("\n\n"),
    files: [...said.files, ...now.files.filter(({ url }) => said.files.every((file) => file.url !== url))],
    ...(editing !== undefined && now.editing === undefined && { editing }),
  }));
}

/** What was written while the first message made its thread belongs to that thread. */
export function moveDraft(threadId: string): void {
  const { text, files } = draftOf(undefined).value;
  takeDraft(undefined);
  if (text !== "" || files.length > 0) returnDraft(threadId, { text, files }, undefined);
}

/** A message that is written anew is not kept: what stood in the field before is. */
function store(key: string, { editing, ...draft }: Draft): void {
  const { text, files } = editing?.before ?? draft;
  try {
    if (text === "" && files.length === 0) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, JSON.stringify({ text, files }));
  } catch {
    // The storage is full: the draft lives as long as the page.
  }
}

function readStored(key: string): Draft {
  try {
    const { text, files } = fieldsOf(JSON.parse(sessionStorage.getItem(PREFIX + key) ?? "{}"));
    return {
      ...EMPTY,
      ...(typeof text === "string" && { text }),
      ...(Array.isArray(files) && { files: files.filter(isFile) }),
    };
  } catch {
    return EMPTY;
  }
}

function isFile(value: unknown): value is ShownFile {
  const { url, mediaType, name } = fieldsOf(value);
  return [url, mediaType, name].every((part) => typeof part === "string");
}
