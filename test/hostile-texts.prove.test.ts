import { createRedactor, parseCursor, parseDataUrl, redactCredentials, Secret } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { calculate } from "../packages/cli/src/demo/calculate.ts";
import { DEMO_SCRIPTS } from "../packages/cli/src/demo/demo-scripts.ts";
import { pickCall, writeMail } from "../packages/cli/src/demo/pick-call.ts";
import { shortText } from "../packages/cli/src/output/plain-text.ts";
import { readEndpoint } from "../packages/models/src/chat/endpoint.ts";
import { WrittenObject } from "../packages/models/src/chat/written-object.ts";
import { failureInStream, failureOf } from "../packages/models/src/failure/failed-answer.ts";
import { readImages } from "../packages/models/src/images/read-images.ts";
import { createTokenCounter } from "../packages/models/src/tokens/create-token-counter.ts";
import { EventStream } from "../packages/models/src/wire/event-stream.ts";
import { estimateByRule } from "../packages/runtime/src/context/token-rule.ts";
import { readOutput } from "../packages/runtime/src/loop/structured-output.ts";
import { compileGlob, findGlobProblem } from "../packages/runtime/src/spec/glob.ts";
import { readMediaType } from "../packages/server/src/blobs/read-upload.ts";
import { redact } from "../packages/server/src/config/secrets.ts";
import { readAddress } from "../packages/server/src/security/address.ts";

const MEGABYTE = 1_000_000;
const much = (text: string): string => text.repeat(Math.ceil(MEGABYTE / text.length)).slice(0, MEGABYTE);

const TOOLS = ["echo", "sendEmail", "finish", "slowTask", "failingTool", "calculator", "clock", "serverInfo", "lookUp"];
const speaker = { model: "m", redact: redactCredentials };
const images = (body: object) => {
  const text = JSON.stringify(body);
  // What is no picture is a failure, and it is found out in good time.
  expect(() => readImages(speaker, new Response(text), text)).toThrow("what it sent is no answer");
};

/** Runs of one character, and of the beginnings of things, which never come to an end. */
const TEXTS = [
  "(",
  "-",
  "+",
  "a",
  "a.",
  "@",
  "a@",
  "@.",
  "1",
  "1 ",
  ".",
  " ",
  "\n",
  "\t ",
  "`",
  "```\n",
  "\n```",
  "/",
  ":",
  ";",
  "%",
  "?",
  "&",
  "#",
  "[",
  "{",
  "\\",
  "*",
  "=",
  "eyJ-",
  "eyJaaaaaa.",
  "sk-",
  "Bearer ",
  "token: ",
  "token:",
  "password=",
  "//a:",
  "//:",
  "echo ",
  "with ",
  "explain ",
  "data:;",
  ";base64",
  "aA1",
].map(much);

type Reader = readonly [name: string, read: (text: string) => unknown];

/** Everything that looks for a pattern in text from outside, by whom it comes from. */
const READERS: readonly Reader[] = [
  ["redactCredentials", redactCredentials],
  ["createRedactor", createRedactor([new Secret("hunter22"), new Secret("a a a a a")])],
  ["parseCursor", parseCursor],
  ["parseDataUrl", (text) => [parseDataUrl(`data:${text}`), parseDataUrl(text)]],
  [
    "readOutput",
    (text) => [readOutput({}, text), readOutput({}, `\`\`\`json${text}`), readOutput({}, `\`\`\`json\n${text}`)],
  ],
  ["estimateByRule", estimateByRule],
  [
    "compileGlob",
    (text) => [findGlobProblem(text), compileGlob("*a*b*").matches(text), compileGlob(text).matches(text)],
  ],
  ["pickCall", (text) => [pickCall(text, TOOLS), pickCall(text, ["calculator"])]],
  ["writeMail", writeMail],
  ["calculate", (text) => expect(() => calculate(`${text}!`)).toThrow()],
  [
    "the demonstration's models",
    (said) => Object.values(DEMO_SCRIPTS).map((script) => script({ said, history: [said], rounds: [], tools: TOOLS })),
  ],
  ["shortText", (text) => shortText(text, 80)],
  ["readImages", (text) => images({ data: [{ b64_json: `${text}!` }] })],
  ["readImages of a URL", (text) => images({ data: [{ url: `data:;base64,${text}!` }] })],
  ["failureInStream", (word) => failureInStream(speaker, { error: { code: `${word}\n`, type: word, message: word } })],
  ["failureOf", (body) => failureOf(speaker, { status: 500, header: () => undefined, body })],
  ["readEndpoint", (path) => readEndpoint("p", `http://127.0.0.1/${path}x`, "/chat")],
  ["redact", (text) => redact({ url: `http://a/${text}` })],
  ["readAddress", (text) => [readAddress(text), readAddress(`${text}\n`)]],
  [
    "readMediaType",
    (text) => [readMediaType(new Headers({ "content-type": text.trim().replaceAll("\n", "") || "a" }))].length,
  ],
  ["EventStream", (text) => new EventStream().push(text)],
  [
    "EventStream, in pieces",
    (text) => {
      const stream = new EventStream();
      for (let at = 0; at < text.length; at += 100) stream.push(text.slice(at, at + 100));
      return stream.end();
    },
  ],
  [
    "WrittenObject, in pieces",
    (text) => {
      const written = new WrittenObject();
      for (const character of `{"a":${text}`) written.add(character);
      return written.isWhole;
    },
  ],
];

describe("issue 14.37: a megabyte of the worst text does not stall the process", () => {
  // No times: what takes the square of a megabyte, or more, comes to no end within the limit of a test.
  it.each(READERS)("%s", (_, read) => {
    for (const text of TEXTS) {
      try {
        read(text);
      } catch (error) {
        if (error instanceof RangeError || (error instanceof Error && error.name === "AssertionError")) throw error;
      }
    }
  });

  it("createTokenCounter", async () => {
    const count = await createTokenCounter().load();
    for (const text of ["a", " ", "\n", "1", "é"].map(much)) expect(count(text.slice(0, 100_000))).toBeGreaterThan(0);
  });
});
