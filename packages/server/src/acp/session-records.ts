import { invalidRequest, type StoredDocument } from "@reprise/contracts";
import { RPC_ERRORS, RpcError } from "@reprise/protocols/acp";
import type { TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";

/** What is kept of a session beside its thread, which has the same id. */
export interface SessionRecord {
  readonly cwd: string;
  readonly additional_directories?: readonly string[];
  readonly agent: string;
  /** The model that the person chose; the agent's own unless given. */
  readonly model?: string;
  readonly title?: string;
  /** The client brought MCP servers. Which ones is not kept: it says so again when it loads the session. */
  readonly has_servers?: boolean;
  readonly updated_at: number;
}

const KIND = "acp.session";

/** The sessions of a store. Each is a document, so that every process of the store knows them. */
export class SessionRecords {
  readonly #runtime: TenantRuntime;

  constructor(runtime: TenantRuntime) {
    this.#runtime = runtime;
  }

  /** `-32002` when there is none. A thread that was begun elsewhere becomes a session with `fallback`. */
  async load(id: string, fallback?: SessionRecord): Promise<SessionRecord> {
    const document = await this.#find(id);
    if (document !== undefined) return recordOf(document);
    if (fallback !== undefined && (await this.#hasThread(id))) return this.save(id, fallback);
    throw new RpcError(RPC_ERRORS.notFound, `There is no session ${id}.`, { uri: id });
  }

  /** The last writer wins: a session is one person's. */
  async save(id: string, record: Omit<SessionRecord, "updated_at">): Promise<SessionRecord> {
    const { documents } = this.#runtime;
    const whole: SessionRecord = { ...record, updated_at: this.#runtime.now() };
    // Made of JSON; its interface hides it.
    const document = { kind: KIND, id, body: whole as unknown as Json };
    for (let expected = (await this.#find(id))?.revision ?? 0; ; ) {
      const result = await documents.saveDocument(document, expected);
      if (result.saved) return whole;
      expected = result.document?.revision ?? 0;
    }
  }

  async delete(id: string): Promise<void> {
    await this.#runtime.documents.deleteDocument(KIND, id);
  }

  /** Newest first. */
  async list(cwd: string | undefined): Promise<readonly (SessionRecord & { readonly id: string })[]> {
    const found: (SessionRecord & { readonly id: string })[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.#runtime.documents.listDocuments({ kind: KIND, ...(after !== undefined && { after }) });
      found.push(...page.items.map((document) => ({ ...recordOf(document), id: document.id })));
      after = page.next;
      if (after === undefined) break;
    }
    return found
      .filter((session) => cwd === undefined || session.cwd === cwd)
      .sort((one, other) => other.updated_at - one.updated_at);
  }

  async #find(id: string): Promise<StoredDocument | undefined> {
    return this.#runtime.documents.loadDocument(KIND, id);
  }

  async #hasThread(id: string): Promise<boolean> {
    const { items } = await this.#runtime.runs({ threadId: id, limit: 1 });
    return items.length > 0;
  }
}

function recordOf({ body }: StoredDocument): SessionRecord {
  // Written by `save` alone.
  return body as unknown as SessionRecord;
}

const PAGE = 50;

/** One page of a list. The cursor is the position, as text. */
export function pageOf<Item>(
  items: readonly Item[],
  cursor: string | undefined,
): { readonly items: readonly Item[]; readonly next?: string } {
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0) throw invalidRequest("cursor must be one that session/list returned.");
  const next = from + PAGE;
  return { items: items.slice(from, next), ...(next < items.length && { next: String(next) }) };
}
