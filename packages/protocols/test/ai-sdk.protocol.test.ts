import { fileURLToPath } from "node:url";
import { createAiSdkEncoder } from "@reprise/protocols/ai-sdk";
import { describeProtocol } from "@reprise/testkit";
import { assertClientAccepts } from "./support/client-rules.ts";
import { readFrames } from "./support/read-frames.ts";

describeProtocol("ai-sdk", () => ({
  open: () => createAiSdkEncoder(),
  assertValid: (frames) => assertClientAccepts(readFrames(frames).chunks),
  golden: fileURLToPath(new URL("./golden/ai-sdk/", import.meta.url)),
  extension: ".sse",
}));
