import type { Changeset, Message, TenantStore, Thread } from "@reprise/contracts";
import { applyPatches, type Json, type Patch, type StateSnapshot } from "@reprise/state";
import { placeMessage } from "./place-message.ts";
import { SnapshotBudget } from "./snapshot-budget.ts";

/**
 * A thread in memory: its state, and the messages that may reach the model. It only ever grows by what was committed, so
 * that one more turn costs what the turn brings and not what the thread holds.
 */
export class LoadedThread {
  readonly thread_id: string;
  readonly snapshots: SnapshotBudget = new SnapshotBudget();
  /** When the store says it was made; not known before it is read from there. */
  createdAt: number | undefined;
  /** The resource the thread belongs to, if any; not known before the thread is read from the store. */
  resourceId: string | undefined;
  #version: number;
  #document: Json;
  #messages: Message[];
  #characters = 0;
  #lastMessage: Message | undefined;
  #messageIds: Set<string>;
  /** Calls of assistant messages that have no result yet, by call id, with the tool's name. */
  #unanswered: Map<string, string>;

  /** Ids of messages that were withdrawn; the store has them still. */
  readonly #superseded: Set<string>;

  constructor(
    threadId: string,
    version: number,
    document: Json,
    messages: readonly Message[],
    superseded: readonly string[] = [],
  ) {
    this.thread_id = threadId;
    this.#version = version;
    this.#document = document;
    this.#messages = [];
    // What was withdrawn keeps its id.
    this.#messageIds = new Set(superseded);
    this.#unanswered = new Map();
    this.#superseded = new Set(superseded);
    this.#append(messages);
  }

  get version(): number {
    return this.#version;
  }

  get document(): Json {
    return this.#document;
  }

  /** In the order in which a model reads them: results stand behind their calls, whenever they came. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** About how much its messages hold. */
  get characters(): number {
    return this.#characters;
  }

  /** The same with some more that are not committed yet. */
  messagesWith(more: readonly Message[]): readonly Message[] {
    const messages = this.#messages.slice();
    for (const message of more) placeMessage(messages, message);
    return messages;
  }

  /** The message that came last. */
  get lastMessage(): Message | undefined {
    return this.#lastMessage;
  }

  get unanswered(): ReadonlyMap<string, string> {
    return this.#unanswered;
  }

  hasMessage(id: string): boolean {
    return this.#messageIds.has(id);
  }

  /** Whether an id belongs to a message that was withdrawn: who sends it again means a new one. */
  isSuperseded(id: string): boolean {
    return this.#superseded.has(id);
  }

  /** Takes in what a commit added. Once: its writer and a reader of the store may both have it to tell. */
  advance(
    version: number,
    document: Json,
    { messages, supersedes, patches }: Pick<Changeset, "messages" | "supersedes" | "patches">,
  ): void {
    if (version <= this.#version) return;
    this.#version = version;
    this.#document = document;
    this.snapshots.add(patches);
    this.#append(messages);
    if (supersedes.length > 0) this.#withdraw(new Set(supersedes));
  }

  #append(messages: readonly Message[]): void {
    for (const message of messages) {
      // Read during a commit, a message may come both with the whole and with its tail.
      if (this.#messageIds.has(message.id)) continue;
      placeMessage(this.#messages, message);
      this.#lastMessage = message;
      this.#characters += weigh(message);
      this.#messageIds.add(message.id);
      for (const call of message.tool_calls ?? []) this.#unanswered.set(call.id, call.name);
      if (message.tool_call_id !== undefined) this.#unanswered.delete(message.tool_call_id);
    }
  }

  /** Superseded messages never reach the model again; their ids stay taken. */
  #withdraw(ids: ReadonlySet<string>): void {
    for (const message of this.#messages) {
      if (!ids.has(message.id)) continue;
      this.#superseded.add(message.id);
      for (const call of message.tool_calls ?? []) this.#unanswered.delete(call.id);
    }
    this.#messages = this.#messages.filter((message) => !ids.has(message.id));
  }
}

/** What a message holds, roughly: with what it is wrapped in. */
function weigh({ content }: Message): number {
  const wrapping = 500;
  if (typeof content === "string") return wrapping + content.length;
  return content.reduce((sum, part) => sum + ("text" in part ? part.text : part.url).length, wrapping);
}

/** Loads a thread, or brings one that is already in memory up to date by its tail. Undefined when there is none. */
export async function loadThread(
  store: TenantStore,
  threadId: string,
  cached?: LoadedThread,
): Promise<LoadedThread | undefined> {
  const head = await store.loadThread(threadId);
  if (head === undefined) return undefined;
  const { version, created_at } = head.thread;
  // One that was deleted and made anew, perhaps elsewhere, is another thread.
  const isSame = cached !== undefined && cached.version <= version && (cached.createdAt ?? created_at) === created_at;
  if (!isSame) return loadWhole(store, head.thread);
  cached.createdAt = created_at;
  cached.resourceId = head.thread.resource_id;
  while (cached.version < version) {
    const changesets = await store.readChangesets(threadId, cached.version);
    if (changesets.length === 0) return loadWhole(store, head.thread);
    for (const changeset of changesets) {
      const document = applyPatches(cached.document, changeset.patches);
      cached.advance(changeset.version, document, changeset);
    }
  }
  return cached;
}

/** The state of a thread at a version: the nearest snapshot and the patches since. */
export async function loadState(store: TenantStore, threadId: string, version: number): Promise<Json> {
  return (await readState(store, threadId, version)).document;
}

interface ReadState {
  readonly document: Json;
  readonly snapshot: StateSnapshot | undefined;
  readonly tail: readonly Patch[];
}

async function readState(store: TenantStore, threadId: string, version: number): Promise<ReadState> {
  const snapshot = await store.loadSnapshot(threadId, version);
  const versions = await store.readPatches(threadId, snapshot?.version ?? 0, version);
  const tail = versions.flatMap(({ patches }): readonly Patch[] => patches);
  return { document: applyPatches(snapshot?.state ?? {}, tail), snapshot, tail };
}

async function loadWhole(
  store: TenantStore,
  { thread_id, version, created_at, resource_id }: Thread,
): Promise<LoadedThread> {
  const [{ document, snapshot, tail }, { messages, superseded }] = await Promise.all([
    readState(store, thread_id, version),
    store.readMessages(thread_id, 0),
  ]);
  const thread = new LoadedThread(thread_id, version, document, messages, superseded);
  if (snapshot !== undefined) thread.snapshots.begin(JSON.stringify(snapshot.state).length);
  thread.snapshots.add(tail);
  thread.createdAt = created_at;
  thread.resourceId = resource_id;
  return thread;
}
