/** Which kind of source a text of the context comes from. */
export const CONTEXT_REF_KINDS = ["memory", "knowledge", "file", "instruction", "browser", "session"] as const;

/** A reference to a source of the model's context: a path, a URL, the id of a note. It is shown in `context_resolved`, never sent to the model. */
export interface ContextRef {
  readonly kind: (typeof CONTEXT_REF_KINDS)[number];
  readonly ref: string;
  readonly title?: string;
}

/** A source that the model does not read in this inference, and why: it is missing, too large, or not allowed. */
export interface ContextOmission extends ContextRef {
  readonly reason: string;
}
