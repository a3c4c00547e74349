import type { ClaimRequest, ErrorCode, StoreSignal } from "@reprise/contracts";
import type { ThreadRequest } from "../kernel/request.ts";
import type { DocumentPlace, SealedDocument } from "../shell/document-rows.ts";

/** What the writer can be asked to do. Each is done at a time of the store's clock, all or nothing. */
export type WriterTask =
  | { readonly task: "operation"; readonly now: number; readonly request: ThreadRequest }
  | { readonly task: "claim"; readonly now: number; readonly request: ClaimRequest; readonly limit: number }
  | {
      readonly task: "put_blob";
      readonly now: number;
      readonly tenant: string;
      readonly ref: string;
      readonly media_type: string | null;
      readonly content: Uint8Array;
    }
  | { readonly task: "delete_blob"; readonly tenant: string; readonly ref: string }
  | {
      readonly task: "save_document";
      readonly now: number;
      readonly document: SealedDocument;
      readonly expected: number;
    }
  | {
      readonly task: "delete_document";
      readonly now: number;
      readonly place: DocumentPlace;
      readonly expected: number | null;
    }
  | { readonly task: "prune_documents"; readonly now: number; readonly limit: number }
  /** Puts on record which process claims work. */
  | { readonly task: "own"; readonly now: number; readonly pid: number };

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
