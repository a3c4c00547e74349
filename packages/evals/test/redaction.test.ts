import { defineTool } from "reprise";
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
