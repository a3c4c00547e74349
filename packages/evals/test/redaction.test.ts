import type { JsonObject } from "@reprise/state";
import fc from "fast-check";
import { defineState, defineTool } from "reprise";
import type { Script } from "reprise/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { readCase, runExperiment } from "../src/index.ts";
import { env, makeCase, openShop, shopAgent } from "./support/shop.ts";

const login = defineTool({
  id: "login",
  description: "Logs in.",
  inputSchema: z.object({ user: z.string(), password: z.string() }),
  execute: ({ user, password }) => ({ user, note: `used ${password} once`, iban: "DE89 3704 0044 0532 0130 00" }),
});

const SECRETS = [
  "ada@example.com",
  "hunter-42-zebra",
  "DE89 3704",
  "Lovelace",
  "sk-proj-abcdef1234567890",
  "+49 30 901820",
];

it("takes personal data and secrets out of every place, also out of streamed pieces, and the case still verifies", async () => {
  const evalCase = await makeCase(
    {
      tools: [login, ...openShop().tools],
      input: "I am ada@example.com, call +49 30 901820. My key is sk-proj-abcdef1234567890.",
      script: [
        [
          { text: ["Hello ada@exa", "mple.com and ", "bob@example.com, Ms Love", "lace."] },
          { call: "login", arguments: { user: "ada@example.com", password: "hunter-42-zebra" } },
          { call: "refund", arguments: { id: "ada@example.com", amount: 90 } },
        ],
        [{ reasoning: "She used hunter-42-zebra." }, { text: "Bye, ada@example.com." }],
      ],
    },
    { redact: { texts: ["Lovelace"] } },
  );
  const text = JSON.stringify(evalCase);
  expect(SECRETS.filter((secret) => text.includes(secret))).toEqual([]);
  // Pieces of a stream say nothing together either.
  const deltas = evalCase.recording.changesets.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === "text_delta" ? [event.data.delta] : [])),
  );
  expect(deltas.join("")).toBe(
    "Hello [redacted:email:1] and [redacted:email:2], Ms [redacted:field:1].Bye, [redacted:email:1].",
  );
  expect(evalCase.redaction).toEqual({ replaced: { email: 3, field: 2, iban: 1, phone: 1, credential: 1 } });
  const options = { definitions: { agents: [shopAgent({ tools: [login, ...openShop().tools] })] }, env };
  for (const mode of ["verify", "rescript"] as const) {
    const { verdict, cases } = await runExperiment([evalCase], { ...options, mode });
    expect([mode, verdict, cases[0]?.trials[0]?.checks.filter((check) => check.verdict !== "passed")]).toEqual([
      mode,
      "passed",
      [],
    ]);
  }
});

const notes = defineState({
  path: "notes",
  initial: (): JsonObject => ({}),
  actions: { put: (all, entry: JsonObject) => ({ ...all, ...entry }) },
});

/** Where a recording may have a secret beside the field that names it. */
const HIDING: Readonly<Record<string, (secret: string) => JsonObject>> = {
  alone: (secret) => ({ text: secret }),
  "in a longer text": (secret) => ({ text: `before${secret}after` }),
  "as a name": (secret) => ({ [secret]: { inner: true } }),
  "in a name": (secret) => ({ [`key of ${secret}`]: 1 }),
  "in JSON": (secret) => ({ text: JSON.stringify({ body: JSON.stringify({ [secret]: [secret] }) }) }),
  "in an address": (secret) => ({ text: `https://example.com/?q=${encodeURIComponent(secret)}` }),
};

/** Every text and name of a value, also in JSON that is the text of a field. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") {
    const isJson = /^[[{]/.test(value) && !value.startsWith("[redacted");
    return [value, decode(value), ...(isJson ? textsOf(JSON.parse(value)) : [])];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsOf(item)]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

it("leaves no secret that one place names in any other: texts, names, ids and JSON inside texts", async () => {
  // No word of the recording's own: those are never taken out.
  const secrets = fc
    .stringMatching(/^[A-Za-z0-9"'\\$ .:|+é-]{5,20}$/)
    .map((text) => `7${text}Q`)
    .filter((text) => !text.includes("[redacted"));
  const isForId = (secret: string): boolean => !/[/\\]/.test(secret);
  await fc.assert(
    fc.asyncProperty(secrets, fc.constantFrom(...Object.values(HIDING)), async (secret, hide) => {
      const keep = defineTool({
        id: "keep",
        description: "Keeps.",
        inputSchema: z.record(z.string(), z.unknown()),
        execute: (given, { state }) => {
          // A record of what was JSON.
          const entry = given as JsonObject;
          state.apply(notes.put(entry));
          return { kept: entry };
        },
      });
      const script: Script = [
        [{ call: "keep", arguments: { password: secret, ...hide(secret) } }],
        [{ text: [secret.slice(0, 3), `${secret.slice(3)} is kept.`] }],
      ];
      const ids = isForId(secret) ? { threadId: `thread of ${secret}`, runId: `${secret}@example.com` } : {};
      const evalCase = await makeCase({ tools: [keep], script, input: JSON.stringify(hide(secret)), ...ids });
      expect(textsOf(evalCase).filter((text) => text.includes(secret))).toEqual([]);
      const deltas = evalCase.recording.changesets.flatMap(({ events }) =>
        events.flatMap((event) => (event.type === "text_delta" ? [event.data.delta] : [])),
      );
      expect(deltas.join("")).toBe("[redacted:field:1] is kept.");
      const options = { definitions: { agents: [shopAgent({ tools: [keep] })] }, env };
      for (const mode of ["verify", "rescript"] as const) {
        const { cases } = await runExperiment([evalCase], { ...options, mode });
        expect(cases[0]?.trials[0]?.checks.filter((check) => check.verdict !== "passed")).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
});

it("takes a credential that a text spells out of every place that repeats it, and leaves words", async () => {
  const evalCase = await makeCase({
    input: "Use postgres://app:hunter22@db.internal/app or ada:zebra-44@vault. The token: required.",
    script: [
      [{ call: "find_order", arguments: { id: "hunter22" } }],
      "zebra-44 and hunter22 are set; an id is required. Order 4111 1111 1111 1111.",
    ],
  });
  const said = evalCase.recording.changesets.flatMap(({ messages }) => messages.map(({ content }) => content));
  expect(said[0]).toBe(
    "Use postgres://app:[redacted:credential:1]@db.internal/app or ada:[redacted:credential:2]@vault. The token: [redacted:credential:3]",
  );
  expect(said.at(-1)).toBe(
    "[redacted:credential:2] and [redacted:credential:1] are set; an id is required. Order [redacted:card:1].",
  );
  expect(evalCase.expect.tools?.calls[0]?.arguments).toEqual({ id: "[redacted:credential:1]" });
});

it("refuses what is no case, and says everything that is wrong", async () => {
  const evalCase = await makeCase();
  const wrong = {
    ...evalCase,
    id: "a b",
    expect: { tools: { match: "roughly", calls: [] }, state: [{ path: "x", matches: "(" }] },
  };
  expect(() => readCase(wrong, "cases/a.case.json")).toThrow(
    expect.objectContaining({
      code: "EVAL_CASE_INVALID",
      message: expect.stringMatching(
        /^cases\/a\.case\.json is not valid: id .*expect\.tools\.match .*expect\.state\[0\]\.matches/s,
      ),
    }),
  );
  expect(() => readCase({ ...evalCase, recording: { format: "reprise-run/3" } })).toThrow(
    /no recording that can be played/,
  );
  expect(() => readCase({ ...evalCase, format: "reprise-case/9" })).toThrow(/format must be/);
});
