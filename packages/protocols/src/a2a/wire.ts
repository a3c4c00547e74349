import type { Json } from "@reprise/state";

/** The version of the specification that these types are the JSON of. */
export const A2A_VERSION = "1.0";

export type A2aTaskState =
  | "TASK_STATE_SUBMITTED"
  | "TASK_STATE_WORKING"
  | "TASK_STATE_COMPLETED"
  | "TASK_STATE_FAILED"
  | "TASK_STATE_CANCELED"
  | "TASK_STATE_INPUT_REQUIRED"
  | "TASK_STATE_REJECTED"
  | "TASK_STATE_AUTH_REQUIRED";

export const A2A_TASK_STATES: readonly A2aTaskState[] = [
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
];

/** A piece of content: exactly one of `text`, `raw` (base64), `url` and `data`. */
export interface A2aPart {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: Json;
  readonly filename?: string;
  readonly mediaType?: string;
  readonly metadata?: { readonly [key: string]: Json };
}

export interface A2aMessage {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: "ROLE_USER" | "ROLE_AGENT";
  readonly parts: readonly A2aPart[];
  readonly metadata?: { readonly [key: string]: Json };
}

export interface A2aArtifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly parts: readonly A2aPart[];
}

export interface A2aTaskStatus {
  readonly state: A2aTaskState;
  readonly message?: A2aMessage;
  readonly timestamp?: string;
}

export interface A2aTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: A2aTaskStatus;
  readonly artifacts?: readonly A2aArtifact[];
  readonly history?: readonly A2aMessage[];
  readonly metadata?: { readonly [key: string]: Json };
}

/** An item of a stream. */
export type A2aStreamItem =
  | { readonly task: A2aTask }
  | { readonly message: A2aMessage }
  | {
      readonly statusUpdate: {
        readonly taskId: string;
        readonly contextId: string;
        readonly status: A2aTaskStatus;
      };
    }
  | {
      readonly artifactUpdate: {
        readonly taskId: string;
        readonly contextId: string;
        readonly artifact: A2aArtifact;
        readonly append: boolean;
        readonly lastChunk: boolean;
      };
    };

/** Whether nothing more can happen to a task in this state. */
export function isTerminalState(state: A2aTaskState): boolean {
  return (
    state === "TASK_STATE_COMPLETED" ||
    state === "TASK_STATE_FAILED" ||
    state === "TASK_STATE_CANCELED" ||
    state === "TASK_STATE_REJECTED"
  );
}
