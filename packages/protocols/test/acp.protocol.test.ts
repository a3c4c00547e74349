import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createAcpEncoder, encodeAcpHistory } from "@reprise/protocols/acp";
import { describeProtocol, loadScenes } from "@reprise/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";

/** The official schema of the stable protocol. */
const schema = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk/schema/v1/schema.json")), "utf8"),
);
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(schema, "acp");

function assertIs(name: string, value: unknown): void {
  const validate = ajv.getSchema(`acp#/$defs/${name}`);
  if (validate === undefined) throw new Error(`The schema has no ${name}.`);
  if (validate(value) !== true) throw new Error(`${JSON.stringify(value)}: ${JSON.stringify(validate.errors)}`);
}

interface Line {
  readonly method?: string;
  readonly params?: { readonly update?: { readonly sessionUpdate: string; readonly toolCallId?: string } };
  readonly result?: unknown;
  readonly error?: unknown;
}

function readLines(frames: string): readonly Line[] {
  return frames
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Line => JSON.parse(line));
}

/** What a client relies on: valid messages, a call before its updates, and one end, which is last. */
function assertClientAccepts(frames: string): void {
  const lines = readLines(frames);
  if (lines.length === 0) throw new Error("There are no messages.");
  const calls = new Set<string>();
  for (const [index, { method, params, result, error }] of lines.entries()) {
    if (method === "session/update") {
      assertIs("SessionNotification", params);
      const { sessionUpdate, toolCallId = "" } = params?.update ?? { sessionUpdate: "" };
      if (sessionUpdate === "tool_call") {
        if (calls.has(toolCallId)) throw new Error(`${toolCallId} begins twice.`);
        calls.add(toolCallId);
      }
      if (sessionUpdate === "tool_call_update" && !calls.has(toolCallId)) throw new Error(`${toolCallId} never began.`);
    } else if (method === "session/request_permission") assertIs("RequestPermissionRequest", params);
    else if (method === "$/cancel_request") assertIs("CancelRequestNotification", params);
    else {
      if (error === undefined) assertIs("PromptResponse", result);
      else assertIs("Error", error);
      if (index !== lines.length - 1) throw new Error("Something follows the end.");
    }
  }
}

describeProtocol("acp", () => ({
  open: () => createAcpEncoder("s1"),
  assertValid: assertClientAccepts,
  golden: fileURLToPath(new URL("./golden/acp/", import.meta.url)),
  extension: ".jsonl",
}));

const scenes = loadScenes();

it.each(scenes)("replays the stored thread of $name as valid updates", ({ messages, calls }) => {
  const updates = encodeAcpHistory({ messages, calls });
  const lines = updates.map((update) =>
    JSON.stringify({ method: "session/update", params: { sessionId: "s1", update } }),
  );
  assertClientAccepts(lines.join("\n"));
});

it.each(scenes)("leaves no call of $name open once the run is over", ({ events }) => {
  const encoder = createAcpEncoder("s1");
  const lines = readLines(events.map(({ event }) => encoder.encode(event)).join(""));
  const finish = events.findLast(({ event }) => event.type === "run_finish")?.event;
  const isOver = finish?.type === "run_finish" && finish.data.termination.type !== "suspended";
  const last = lines.at(-1);
  expect(last?.result !== undefined || last?.error !== undefined).toBe(isOver);
  if (isOver) expect(encoder.state.calls).toEqual({});
});
