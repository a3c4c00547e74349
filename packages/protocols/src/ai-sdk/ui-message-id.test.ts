import { expect, it } from "vitest";
import { encodeAiSdkHistory } from "./encode-history.ts";
import { uiMessageIdOf, withUiMessageIds } from "./ui-message-id.ts";

const said = { role: "user", content: "hello" } as const;

it("is the message's own id, unless it took the place of another", () => {
  expect(uiMessageIdOf({ id: "u1" })).toBe("u1");
  expect(uiMessageIdOf({ id: "r1-u0", metadata: { run_id: "r1", ui_message_id: "u1" } })).toBe("u1");
  // Metadata may come from anywhere.
  expect(uiMessageIdOf({ id: "u1", metadata: { ui_message_id: 7 } })).toBe("u1");
});

it("is kept beside a message that comes under the id of another", () => {
  expect(withUiMessageIds([{ ...said, id: "u1", metadata: { a: 1 } }, said])).toEqual([
    { ...said, id: "u1", metadata: { a: 1, ui_message_id: "u1" } },
    said,
  ]);
});

it("is what a page that is loaded anew shows", () => {
  const messages = [{ ...said, id: "r1-u0", metadata: { run_id: "r1", ui_message_id: "u1" } }];
  expect(encodeAiSdkHistory({ thread_id: "t", messages, calls: [] })).toMatchObject([{ id: "u1", role: "user" }]);
});
