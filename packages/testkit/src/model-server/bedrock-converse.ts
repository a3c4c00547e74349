import { crc32 } from "node:zlib";
import type { ScriptStep } from "@reprise/models";
import { argumentsOf, piecesOf, readEnding } from "./read-steps.ts";
import type { Frame, Protocol } from "./server-script.ts";

/** Bedrock's converse-stream: events in AWS's binary frames. */
export const BEDROCK_CONVERSE: Protocol = {
  contentType: "application/vnd.amazon.eventstream",
  *encode(steps): Generator<Frame> {
    yield frame("messageStart", { role: "assistant" });
    let index = 0;
    for (const step of steps) {
      if ("stall" in step || "cut" in step) {
        yield { fault: "stall" in step ? "stall" : "cut" };
        return;
      }
      if ("fail" in step) {
        yield frame("modelStreamErrorException", { message: `Scripted failure ${step.fail}.` }, "exception");
        return;
      }
      const block = eventsOf(step, index);
      if (block.length > 0) index++;
      for (const [type, payload] of block) yield frame(type, payload);
    }
    const { stop, usage } = readEnding(steps);
    const { promptTokens: prompt_tokens = 0, completionTokens: completion_tokens = 0 } = usage;
    yield frame("messageStop", { stopReason: stop });
    yield frame("metadata", {
      usage: {
        inputTokens: prompt_tokens,
        outputTokens: completion_tokens,
        totalTokens: prompt_tokens + completion_tokens,
      },
      metrics: { latencyMs: 1 },
    });
  },
  encodeError: (status, code) => ({ message: `Scripted failure ${code} (${status}).`, __type: code }),
};

function eventsOf(step: ScriptStep, contentBlockIndex: number): readonly (readonly [type: string, payload: object])[] {
  const delta = (fields: object) => ["contentBlockDelta", { contentBlockIndex, delta: fields }] as const;
  const stop = ["contentBlockStop", { contentBlockIndex }] as const;
  if ("text" in step) return [...piecesOf(step.text).map((text) => delta({ text })), stop];
  if ("reasoning" in step) {
    const signature = delta({ reasoningContent: { signature: `signature ${contentBlockIndex}` } });
    return [delta({ reasoningContent: { text: step.reasoning } }), signature, stop];
  }
  if (!("call" in step || "unfinishedCall" in step)) return [];
  const toolUseId = ("id" in step ? step.id : undefined) ?? `tooluse_${contentBlockIndex}`;
  const toolUse = { toolUseId, name: "call" in step ? step.call : step.unfinishedCall };
  const pieces = argumentsOf(step).pieces.map((input) => delta({ toolUse: { input } }));
  return [
    ["contentBlockStart", { contentBlockIndex, start: { toolUse } }],
    ...pieces,
    ...("call" in step ? [stop] : []),
  ];
}

const TEXT_HEADER = 7;

/** One message: lengths, headers and payload, with a checksum after the lengths and one at the end. */
function frame(type: string, payload: object, kind: "event" | "exception" = "event"): Uint8Array {
  const fields = { [`:${kind}-type`]: type, ":content-type": "application/json", ":message-type": kind };
  const headers = Buffer.concat(Object.entries(fields).map(encodeHeader));
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(headers.length + body.length + 16, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

function encodeHeader([name, value]: readonly [string, string]): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([TEXT_HEADER]),
    length,
    Buffer.from(value),
  ]);
}
