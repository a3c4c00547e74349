import type { Decision } from "@reprise/contracts";
import type { DecisionRow } from "../../kernel/rows.ts";
import { escapeText, unescapeText } from "../escape-text.ts";
import { parseText, readText, type StoredText, storeText } from "../stored-text.ts";
import { optionalText } from "./column-values.ts";

/** A decision under its key, and the rest of it. `run_id` comes from its run. */
export interface DecisionColumns extends StoredText {
  readonly call_id: string;
  readonly suspension: number;
  readonly is_pending: number;
  readonly wake_entry_id: string | null;
}

export function toDecisionColumns({ decision, is_pending, wake_entry_id }: DecisionRow): DecisionColumns {
  const { run_id: _, call_id, suspension, ...rest } = decision;
  return {
    call_id: escapeText(call_id),
    suspension,
    is_pending: is_pending ? 1 : 0,
    wake_entry_id: optionalText(wake_entry_id),
    ...storeText(JSON.stringify(rest)),
  };
}

export function fromDecisionColumns(columns: DecisionColumns & { readonly run_id: string }): DecisionRow {
  const rest = parseText("decision", readText("decision", columns));
  // Together they are the decision that `toDecisionColumns` took apart.
  const decision = {
    run_id: unescapeText(columns.run_id),
    call_id: unescapeText(columns.call_id),
    suspension: columns.suspension,
    ...(rest as object),
  } as Decision;
  return {
    decision,
    is_pending: columns.is_pending === 1,
    wake_entry_id: columns.wake_entry_id === null ? null : unescapeText(columns.wake_entry_id),
  };
}
