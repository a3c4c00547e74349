import type { Message } from "@reprise/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactMessages } from "./compacted-request.ts";
import type { Boundary } from "./compaction-state.ts";
import { findFrontier, findIncidents, gatherEvidence } from "./frontier.ts";

const message = (id: string, role: Message["role"], more: Partial<Message> = {}): Message => ({
  id,
  role,
  content: id,
  ...more,
});
const call = (...ids: readonly string[]): Message =>
  message(`a-${ids.join()}`, "assistant", { tool_calls: ids.map((id) => ({ id, name: "t", arguments: {} })) });
const result = (id: string, more: Partial<Message> = {}): Message =>
  message(`r-${id}`, "tool", { tool_call_id: id, ...more });

const BOUNDARY: Boundary = {
  covers_through_message_id: "",
  summary: "short",
  evidence: [],
  more_links: 0,
  incidents: [],
  original_token_count: 1,
  created_at_ms: 0,
  number: 1,
};

describe("the frontier of a compaction", () => {
  it("never separates a call from its results, in any order", () => {
    const messages = [
      message("u", "user"),
      call("1", "2"),
      result("2"),
      message("n", "user"),
      result("1"),
      message("e", "assistant"),
    ];
    expect([0, 1, 2, 3, 4, 5, 6].map((limit) => findFrontier(messages, limit))).toEqual([0, 1, 1, 1, 1, 5, 6]);
  });

  it("stays before a call that has no result yet, however much follows", () => {
    const messages = [
      message("u", "user"),
      message("a", "assistant"),
      call("open"),
      message("u2", "user"),
      call("1"),
      result("1"),
    ];
    expect(findFrontier(messages, messages.length)).toBe(2);
  });
});

/** Threads of users, rounds of parallel calls, answers, system messages, and calls that still wait. */
const threads = fc
  .array(fc.constantFrom("user", "note", "answer", "system", "round", "late", "open" as const), { maxLength: 30 })
  .map((kinds) =>
    kinds.flatMap((kind, at): readonly Message[] => {
      if (kind === "round") return [call(`${at}a`, `${at}b`), result(`${at}b`), result(`${at}a`)];
      if (kind === "late") return [call(`${at}`), message(`l${at}`, "user"), result(`${at}`)];
      if (kind === "open") return [call(`${at}`)];
      if (kind === "answer") return [message(`m${at}`, "assistant")];
      if (kind === "note") return [message(`m${at}`, "user", { visibility: "internal" })];
      return [message(`m${at}`, kind)];
    }),
  );

it("a compacted conversation has every system message, the user's last words, every open call and only whole rounds", () => {
  fc.assert(
    fc.property(threads, fc.nat(40), (messages, limit) => {
      const frontier = findFrontier(messages, limit);
      expect(frontier).toBeLessThanOrEqual(limit);
      const through = messages[frontier - 1];
      if (through === undefined) return;
      const sent = compactMessages(messages, { ...BOUNDARY, covers_through_message_id: through.id });
      const ids = new Set(sent.map(({ id }) => id));
      const said = messages.findLast(({ role, visibility }) => role === "user" && visibility !== "internal");
      for (const { id, role } of messages) if (role === "system") expect(ids).toContain(id);
      if (said !== undefined) expect(ids).toContain(said.id);
      const results = new Set(messages.flatMap(({ tool_call_id }) => tool_call_id ?? []));
      const calls = sent.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
      for (const { id, tool_calls = [] } of messages)
        if (tool_calls.some((each) => !results.has(each.id))) expect(ids).toContain(id);
      const sentResults = sent.flatMap(({ tool_call_id }) => tool_call_id ?? []);
      expect(sentResults.filter((id) => !calls.includes(id))).toEqual([]);
      expect(calls.filter((id) => results.has(id) && !sentResults.includes(id))).toEqual([]);
      // Done twice, it is done once.
      expect(compactMessages(messages, { ...BOUNDARY, covers_through_message_id: "gone" })).toBe(messages);
    }),
  );
});

describe("what a summary keeps", () => {
  it("is every blob, file and named evidence, and the newest five thousand links", () => {
    const links = Array.from({ length: 5_050 }, (_, index) => `https://example.org/${index}`);
    const messages = [
      message("1", "tool", { content: `see blob:abcdefgh12345678 and "media:video/12345678", ${links.join(" ")}` }),
      message("2", "user", { content: [{ type: "image", url: "blob:picture12345" }] }),
      message("3", "tool", { metadata: { evidence_refs: ["evidence:7", 8], artifact_refs: "no list" } }),
    ];
    const { evidence, more_links } = gatherEvidence(messages, { evidence: ["blob:earlier123"], more_links: 2 });
    const others = [
      "blob:earlier123",
      "blob:abcdefgh12345678",
      "media:video/12345678",
      "blob:picture12345",
      "evidence:7",
    ];
    expect(evidence).toEqual(expect.arrayContaining([...others, ...links.slice(50)]));
    expect(evidence).toHaveLength(others.length + 5_000);
    expect(more_links).toBe(52);
  });

  it("is every failed call whose tool has not succeeded since", () => {
    const failed = (id: string, tool: string) => result(id, { metadata: { tool_name: tool, status: "error" } });
    const fine = (id: string, tool: string) => result(id, { metadata: { tool_name: tool, status: "success" } });
    const messages = [failed("1", "mail"), failed("2", "print"), fine("3", "mail"), failed("4", "late")];
    const earlier = [
      { tool: "mail", call_id: "0", problem: "x" },
      { tool: "fax", call_id: "00", problem: "y" },
    ];
    expect(findIncidents(messages, 3, earlier).map(({ call_id }) => call_id)).toEqual(["00", "2"]);
  });
});
