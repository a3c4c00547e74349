/** What a tool did to the world, as it told the ledger before it answered. */
export interface EffectLine {
  readonly kind: "effect";
  /** The idempotency key the tool was given. */
  readonly key: string;
  readonly thread_id: string;
  readonly run_id: string;
  readonly call_id: string;
  readonly tool: string;
  /** The node of a workflow that called the tool, by its path. */
  readonly node?: string;
  /** The version of the tool that did it. */
  readonly version: number;
  readonly n: number;
  /** The newest claim its process had on the thread when the tool began. */
  readonly epoch: number;
  readonly worker: string;
  readonly incarnation: number;
  readonly started_at: number;
  /** The decision that let the tool run, if one did. */
  readonly decision_id?: string;
}

/** One message as a model was given it: who speaks, what it asks for, what it answers. */
export interface ModelMessageShape {
  readonly role: string;
  readonly id: string;
  readonly calls?: readonly string[];
  readonly answers?: string;
}

/** A model call: what the model was given to read. */
export interface ModelLine {
  readonly kind: "model";
  readonly script: string;
  readonly step: number;
  readonly messages: readonly ModelMessageShape[];
  /** The newest claim its process had on the thread when a node of a workflow asked. */
  readonly epoch?: number;
  readonly worker: string;
  readonly incarnation: number;
}

/** An owner that lives noticed that a run is no longer its own. */
export interface LossLine {
  readonly kind: "loss";
  readonly run_id: string;
  readonly worker: string;
  readonly incarnation: number;
}

/** A worker was given a claim, and has not begun to work on it. */
export interface ClaimLine {
  readonly kind: "claim";
  readonly thread_id: string;
  readonly epoch: number;
  readonly worker: string;
  readonly incarnation: number;
}

export type LedgerLine = EffectLine | ModelLine | LossLine | ClaimLine;

/** A line with what the ledger itself knows: its number, and the time it came. */
export type LedgerEntry<Line extends LedgerLine = LedgerLine> = Line & {
  readonly number: number;
  readonly at: number;
};
