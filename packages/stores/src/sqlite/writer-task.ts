import type { ErrorCode, StoreSignal } from "@reprise/contracts";
import type { Claimer, ThreadRequest } from "../kernel/request.ts";
import type { Upload } from "../shell/blob-rows.ts";
import type { DocumentKey, SealedDocument } from "../shell/document-rows.ts";
import type { AnnouncedWorker } from "../shell/worker-rows.ts";
import type { Statement } from "./statement.ts";

/** The columns of a blob's row that its putter says. */
interface BlobColumns {
  readonly now: number;
  readonly tenant: string;
  readonly ref: string;
  readonly media_type: string | null;
  readonly bytes: number;
  /** How many bytes its tenant may have. */
  readonly quota: number | null;
}

/** What can be done to blobs. Nothing takes longer than a piece of one does. */
export type BlobTask =
  | ({ readonly task: "put_blob"; readonly content: Uint8Array } & BlobColumns)
  | { readonly task: "delete_blob"; readonly tenant: string; readonly ref: string }
  /** If no thread refers to it and it was put before a time. */
  | { readonly task: "collect_blob"; readonly tenant: string; readonly ref: string; readonly before: number }
  | ({ readonly task: "begin_upload" } & Upload)
  | ({ readonly task: "add_part"; readonly start: number; readonly content: Uint8Array } & Upload)
  | ({ readonly task: "finish_upload" } & Upload & BlobColumns)
  | ({ readonly task: "give_up_upload" } & Upload)
  | { readonly task: "sweep_uploads"; readonly now: number }
  | { readonly task: "unlist_object"; readonly upload: string };

/** Writes that were planned on what is held of a thread. */
export interface HeldTask {
  readonly task: "held";
  readonly head: Statement;
  readonly content: readonly Statement[];
  readonly signals: readonly StoreSignal[];
}

/** What can be done to workers. */
export type WorkerTask =
  | ({
      readonly task: "put_worker";
      readonly now: number;
      readonly slot: number;
      readonly replaced: string | null;
    } & AnnouncedWorker)
  | { readonly task: "remove_worker"; readonly owner: string; readonly session: string }
  /** Marks the process that had a slot as gone. */
  | { readonly task: "free_slot"; readonly slot: number };

/** What the writer can be asked to do. Each is done at a time of the store's clock, all or nothing. */
export type WriterTask =
  | { readonly task: "operation"; readonly now: number; readonly request: ThreadRequest }
  | HeldTask
  | { readonly task: "claim"; readonly now: number; readonly request: Claimer; readonly limit: number }
  | BlobTask
  | {
      readonly task: "save_document";
      readonly now: number;
      readonly document: SealedDocument;
      readonly expected: number;
    }
  | {
      readonly task: "delete_document";
      readonly now: number;
      readonly key: DocumentKey;
      readonly expected: number | null;
    }
  | { readonly task: "prune_documents"; readonly now: number; readonly limit: number }
  | WorkerTask;

/** A task under a number, so that its outcome finds back to who asked. */
export interface NumberedTask {
  readonly number: number;
  readonly task: WriterTask;
}

/** An error in a form that survives the way between two threads. */
export interface PlainError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type Outcome =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly error: PlainError };

/** What the writer says: it is ready, it cannot begin, or how the tasks of one transaction ended. */
export type WriterReport =
  | { readonly report: "ready" }
  | { readonly report: "failed"; readonly error: PlainError }
  | { readonly report: "done"; readonly outcomes: readonly Outcome[]; readonly signals: readonly StoreSignal[] };
