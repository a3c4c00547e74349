import type { SuspensionNotice } from "@reprise/contracts";

/** A file that somebody attached or a model made. */
export interface ShownFile {
  readonly url: string;
  readonly mediaType: string;
  readonly name: string;
}

/** How a call stands, in the words of the studio. */
export type CallStatus =
  | "preparing"
  | "running"
  | "needs approval"
  | "waiting"
  | "done"
  | "failed"
  | "denied"
  | "expired"
  | "superseded"
  | "cancelled";

/** A tool call as it is shown. */
export interface ShownCall {
  readonly id: string;
  readonly tool: string;
  readonly status: CallStatus;
  /** What the model has written so far, before the arguments are complete. */
  readonly draft: string;
  readonly arguments?: unknown;
  /** What the model asked for, when a person changed it. */
  readonly original?: unknown;
  readonly progress?: { readonly value?: number; readonly total?: number; readonly message?: string };
  readonly question?: SuspensionNotice;
  readonly result?: unknown;
  /** A page that the tool's server brought to show the result, as HTML. */
  readonly page?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** The run of another agent that the call started. */
  readonly child?: ChildRun;
}

export interface ChildRun {
  readonly runId: string;
  readonly threadId: string;
  readonly agentId: string;
  readonly background: boolean;
  readonly status: "running" | "waiting" | "done" | "failed";
  readonly blocks: readonly Block[];
}

/** One thing that a run said, did or met. `seq` is the event, and `version` the commit, that it became visible with. */
export type Block = {
  readonly key: string;
  readonly seq?: number;
  readonly version?: number;
  /** The version that took it back. */
  readonly until?: number;
} & (
  | { readonly kind: "user"; readonly text: string; readonly files: readonly ShownFile[]; readonly messageId: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "file"; readonly file: ShownFile }
  | { readonly kind: "call"; readonly call: ShownCall }
  | { readonly kind: "surface"; readonly surfaceId: string; readonly operations: readonly unknown[] }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "failure"; readonly text: string }
);

/** How a run stands, in the words of the studio. */
export type RunStatus =
  | "queued"
  | "working"
  | "needs approval"
  | "waiting for model"
  | "waiting"
  | "done"
  | "failed"
  | "cancelled";

/** A run in a conversation. */
export interface RunView {
  readonly runId: string;
  readonly agentId: string;
  readonly status: RunStatus;
  readonly blocks: readonly Block[];
}

/** The fields of a value that may be an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The page in the metadata of a result, where the server of the tool has one. */
export function pageOf(metadata: unknown): { readonly page?: string } {
  const { "mcp.ui.content": page, "mcp.ui.mimeType": type } = fieldsOf(metadata);
  return typeof page === "string" && String(type).startsWith("text/html") ? { page } : {};
}
