import { compareIds } from "@reprise/contracts";
import type { DocumentKey, DocumentRow } from "../shell/document-rows.ts";
import { SortedList } from "./sorted-list.ts";

/** What is known of a document without its text. */
export type DocumentHead = Omit<DocumentRow, "text">;

type ById = Pick<DocumentHead, "id">;

/** What documents there are, with as much of each as its owner wants to keep here. */
export class DocumentIndex<Head extends DocumentHead> {
  readonly #heads = new Map<string, Head>();
  readonly #kinds = new Map<string, SortedList<Head, ById>>();

  /** Undefined also for one whose time is up. */
  find(key: DocumentKey, now: number): Head | undefined {
    const head = this.#heads.get(keyOf(key));
    return head === undefined || isExpired(head, now) ? undefined : head;
  }

  put(head: Head): void {
    this.remove(head);
    this.#heads.set(keyOf(head), head);
    const kind = kindOf(head);
    const list = this.#kinds.get(kind) ?? new SortedList<Head, ById>(byId);
    this.#kinds.set(kind, list);
    list.add(head);
  }

  remove(key: DocumentKey): void {
    if (!this.#heads.delete(keyOf(key))) return;
    const list = this.#kinds.get(kindOf(key));
    list?.remove(key);
    if (list?.size === 0) this.#kinds.delete(kindOf(key));
  }

  /** The first so many of a kind with a higher id. */
  after(key: DocumentKey, limit: number, now: number): readonly Head[] {
    const list = this.#kinds.get(kindOf(key));
    if (list === undefined) return [];
    const rest = list.after(key, list.size);
    return rest.filter((head) => !isExpired(head, now)).slice(0, limit);
  }

  /** Those whose time is up, at most so many. */
  expired(limit: number, now: number): readonly Head[] {
    const found: Head[] = [];
    for (const head of this.#heads.values()) {
      if (found.length === limit) break;
      if (isExpired(head, now)) found.push(head);
    }
    return found;
  }
}

function isExpired({ expires_at }: DocumentHead, now: number): boolean {
  return expires_at !== null && expires_at <= now;
}

function byId(one: ById, other: ById): number {
  return compareIds(one.id, other.id);
}

function kindOf({ tenant, kind }: Omit<DocumentKey, "id">): string {
  return JSON.stringify([tenant, kind]);
}

function keyOf({ tenant, kind, id }: DocumentKey): string {
  return JSON.stringify([tenant, kind, id]);
}
