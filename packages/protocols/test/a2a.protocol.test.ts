import { fileURLToPath } from "node:url";
import { StreamResponse } from "@a2a-js/sdk";
import { createA2aEncoder } from "@reprise/protocols/a2a";
import { describeProtocol } from "@reprise/testkit";

/** Reads frames as the official client does. A field that it does not know, or reads otherwise, is lost on the way back. */
function assertItems(frames: string): void {
  const lines = frames.split("\n").filter((line) => line.startsWith("data: "));
  if (lines.length === 0) throw new Error("There are no items.");
  for (const line of lines) {
    const sent: unknown = JSON.parse(line.slice("data: ".length));
    const read = StreamResponse.toJSON(StreamResponse.fromJSON(sent));
    const lost = findLost(sent, read, "");
    if (lost !== undefined) throw new Error(`The client lost ${lost} of ${line}`);
  }
}

function findLost(sent: unknown, read: unknown, path: string): string | undefined {
  if (typeof sent !== "object" || sent === null) {
    // The empty values of protocol buffers are left out.
    return Object.is(sent, read) || ((sent === "" || sent === false) && read === undefined) ? undefined : path;
  }
  for (const [key, value] of Object.entries(sent)) {
    const found = findLost(value, (read as Record<string, unknown> | undefined)?.[key], `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

describeProtocol("a2a", () => ({
  open: () => createA2aEncoder(),
  assertValid: assertItems,
  golden: fileURLToPath(new URL("./golden/a2a/", import.meta.url)),
  extension: ".sse",
}));
