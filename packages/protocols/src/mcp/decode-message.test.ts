import type { SuspendTicket } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeQuestionId, encodeRequestState, isRequestState, runOfRequestState } from "./create-encoder.ts";
import { decodeMcpMessage, MODERN_VERSION } from "./decode-message.ts";
import { decodeAnswer, encodeQuestion } from "./questions.ts";
import { INITIAL_MCP_STATE } from "./run-state.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const KEYS = ["jsonrpc", "id", "method", "params", "result", "error", "_meta", "__proto__"];

it("understands or refuses whatever it is sent, and never throws", () => {
  const field = fc.oneof(fc.constantFrom("2.0", "tools/call", "initialize", "server/discover"), fc.jsonValue());
  const message = fc.dictionary(fc.constantFrom(...KEYS), field);
  fc.assert(
    fc.property(fc.oneof(message, fc.jsonValue()), (sent) => {
      const read = decodeMcpMessage(JSON.parse(JSON.stringify(sent)) as Json, new Headers());
      expect(["request", "notification", "response", "refused"]).toContain(read.kind);
      if (read.kind === "refused") expect(read.status).toBe(400);
    }),
  );
});

describe("the name in the header of a request", () => {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "größe", _meta: META } };
  const read = (name: string) =>
    decodeMcpMessage(
      call,
      new Headers({ "mcp-protocol-version": MODERN_VERSION, "mcp-method": "tools/call", "mcp-name": name }),
    ).kind;

  it("may be in base64, because headers hold no other characters", () => {
    expect(read(`=?base64?${Buffer.from("größe").toString("base64")}?=`)).toBe("request");
  });

  it.each(["=?base64?Z3L?=", "=?base64?!!!!?=", "=?base64?/w==?=", "other"])("is refused as %s", (name) => {
    expect(read(name)).toBe("refused");
  });
});

function ticketOf(schema?: SuspendTicket["suspension"]["response_schema"]): SuspendTicket {
  return {
    suspension: {
      id: "c-q1",
      action: "ask",
      message: "Well?",
      ...(schema !== undefined && { response_schema: schema }),
    },
    pending: { id: "c", name: "wire", arguments: { to: "Ada" } },
    resume_mode: schema === undefined ? "replay_tool_call" : "pass_decision_to_tool",
  };
}

describe("the answer to a question", () => {
  it.each([
    [{ action: "accept", content: { approve: true } }, { action: "approve" }],
    [
      { action: "accept", content: { approve: false, reason: "No." } },
      { action: "deny", reason: "No." },
    ],
    [{ action: "accept", content: { approve: "true" } }, { action: "deny" }],
    [{ action: "accept" }, { action: "deny" }],
    [{ action: "decline" }, { action: "deny" }],
    [{ action: "cancel" }, { action: "deny", reason: "The question was closed without a choice." }],
    [{ action: "approve" }, undefined],
    [7, undefined],
  ])("%j about an approval means %j: only a clear yes lets a call run", (answer, verb) => {
    expect(decodeAnswer(ticketOf(), answer)).toEqual(verb);
  });

  it("has the fields of a flat schema, and is one text for any other", () => {
    const flat = ticketOf({ type: "object", properties: { name: { type: "string" } } });
    expect(decodeAnswer(flat, { action: "accept", content: { name: "Ada" } })).toEqual({
      action: "supply",
      result: { name: "Ada" },
    });
    const deep = ticketOf({ type: "object", properties: { list: { type: "object" } } });
    expect(encodeQuestion(deep)).toMatchObject({ requestedSchema: { required: ["answer"] } });
    const answer = (text: string) => decodeAnswer(deep, { action: "accept", content: { answer: text } });
    expect(answer('{"list":{}}')).toEqual({ action: "supply", result: { list: {} } });
    expect(answer("no JSON")).toEqual({ action: "supply", result: "no JSON" });
  });
});

it("a state that is sent back names the run and questions that it asked, and nothing else", () => {
  const early = { ...INITIAL_MCP_STATE, asked: ["q/1"] };
  const late = { ...INITIAL_MCP_STATE, asked: ["q/1", "q2"] };
  const given = encodeRequestState("r/1", early);
  expect(runOfRequestState(given)).toBe("r/1");
  expect([isRequestState(given, "r/1", early), isRequestState(given, "r/1", late)]).toEqual([true, true]);
  for (const other of ["r/1", `${given}x`, encodeRequestState("r/1", { ...early, asked: ["q3"] }), "%E0%A4%A"])
    expect(isRequestState(other, "r/1", late)).toBe(false);
});

it("the id of a question names a run, or nothing", () => {
  expect(decodeQuestionId("r%2F1/q")).toEqual({ runId: "r/1", suspensionId: "q" });
  for (const id of [7, "", "a/b/c", "%E0%A4%A/x"]) expect(decodeQuestionId(id)).toBeUndefined();
});
