import type { Json } from "@reprise/state";

/** Which run a message is: what a page needs to stop it, or to look at it elsewhere. */
export function runInfoData(runId: string, threadId: string): Json {
  return { protocol: "ai-sdk-ui-message-stream", protocolVersion: "v1", aiSdkVersion: "v6", threadId, runId };
}
