import { Role, type Task } from "@a2a-js/sdk";

/** A message of the official client: words, or structured data. */
export function a2aSays(said: string | object, more: { readonly taskId?: string; readonly contextId?: string } = {}) {
  const content =
    typeof said === "string" ? { $case: "text" as const, value: said } : { $case: "data" as const, value: said };
  return {
    tenant: "",
    message: {
      messageId: crypto.randomUUID(),
      contextId: "",
      taskId: "",
      role: Role.ROLE_USER,
      parts: [{ content, metadata: undefined, filename: "", mediaType: "" }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
    configuration: undefined,
    metadata: undefined,
  };
}

/** All text of a task's artifacts. */
export function a2aTextOf({ artifacts }: Task): string {
  const parts = artifacts.flatMap(({ parts: each }) => each);
  return parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
}
