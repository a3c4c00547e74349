import type { Message, ModelRequest } from "@reprise/contracts";
import { expect, it } from "vitest";
import { compactRequest } from "./compacted-request.ts";
import type { Boundary } from "./compaction-state.ts";

const BOUNDARY: Boundary = {
  covers_through_message_id: "m2",
  summary: "s",
  evidence: [],
  more_links: 0,
  incidents: [],
  original_token_count: 1,
  created_at_ms: 0,
  number: 1,
};

it("sends a message that another plugin pinned, although the summary covers it", () => {
  const messages: Message[] = ["m1", "m2", "m3"].map((id) => ({ id, role: "user", content: id }));
  const { signal } = new AbortController();
  const request: ModelRequest = { system: "", messages, tools: [], options: {}, pinned: ["m1"], signal };
  const compacted = compactRequest(request, BOUNDARY, []);
  expect(compacted.messages.map(({ id }) => id)).toEqual(["context-summary-1", "m1", "m3"]);
});
