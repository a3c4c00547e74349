import { RUN_REQUEST, type RunRequest } from "@reprise/contracts";
import { flag, type ObjectShape, openObjectOf, optional, recordOf, unchecked } from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";

/** The body that starts a run of a workflow: its inputs, with some fields of a run request beside them. */
export type WorkflowRunBody = Pick<
  RunRequest,
  "thread_id" | "run_id" | "resource_id" | "busy_policy" | "priority" | "dedupe_key" | "policy" | "metadata"
> & { readonly inputs?: { readonly [name: string]: Json }; readonly strict?: boolean };

const { thread_id, run_id, resource_id, busy_policy, priority, dedupe_key, policy, metadata } = RUN_REQUEST.fields;

export const WORKFLOW_RUN_BODY: ObjectShape<WorkflowRunBody> = openObjectOf<WorkflowRunBody>({
  inputs: optional(recordOf(unchecked<Json>()), "By name, as the workflow defines them"),
  thread_id,
  run_id,
  resource_id,
  busy_policy,
  priority,
  dedupe_key,
  policy,
  metadata,
  strict: optional(flag, "Refuse fields that are not known; otherwise they are ignored with a warning"),
});
