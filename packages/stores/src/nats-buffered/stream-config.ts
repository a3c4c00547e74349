import { invalidRequest } from "@reprise/contracts";
import type { StreamConfig } from "./nats-client.ts";

/** What a buffer needs to know of its stream. */
export interface StreamSettings {
  readonly name: string;
  /** All subjects of the stream begin with it. */
  readonly prefix: string;
  readonly replicas: number;
  /** How long to wait for an answer. */
  readonly timeoutMs: number;
}

export function configOf({ name, prefix, replicas }: StreamSettings): StreamConfig {
  return {
    name,
    subjects: [`${prefix}.>`],
    retention: "limits",
    storage: "file",
    discard: "new",
    num_replicas: replicas,
    max_age: 0,
    max_msgs: -1,
    max_bytes: -1,
    max_msgs_per_subject: -1,
  };
}

/** A stream that is full may say no; it may not drop what it has, by age or by number. */
export function assertKeeps(found: StreamConfig, wanted: StreamConfig): void {
  const isBounded = found.max_msgs > 0 || found.max_bytes > 0 || found.max_msgs_per_subject > 0;
  const problems = [
    ...(found.retention === "limits" ? [] : [`retention is ${found.retention}, not limits`]),
    ...(found.storage === "file" ? [] : [`storage is ${found.storage}, not file`]),
    ...(found.max_age === 0 ? [] : ["max_age is set"]),
    ...(found.discard === "new" || !isBounded ? [] : ["it is bounded and discards old messages"]),
    ...(found.subjects.includes(wanted.subjects[0] ?? "") ? [] : [`it has not the subject ${wanted.subjects[0]}`]),
  ];
  if (problems.length === 0) return;
  throw invalidRequest(`Cannot use the stream ${found.name} as a buffer: ${problems.join("; ")}.`);
}
