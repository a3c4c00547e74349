import { type Message, type ModelRequest, textOf } from "@reprise/contracts";
import { expect, it } from "vitest";
import { compactRequest, summaryMessage } from "./compacted-request.ts";
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

it("shows the model the newest hundred of the links that the boundary keeps, and counts the others", () => {
  const links = Array.from({ length: 150 }, (_, number) => `https://example.org/${number}`);
  const message = summaryMessage({ ...BOUNDARY, evidence: ["blob:abcdefgh", ...links], more_links: 2 });
  const text = textOf(message);
  expect(text).toContain(`References: blob:abcdefgh , ${links[50]} , `);
  expect(text).not.toContain(`${links[49]} `);
  expect(text).toContain("and 52 older links, which the thread keeps");
});
