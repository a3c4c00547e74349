import { textOf } from "@reprise/contracts";
import type { Scene } from "./scene.ts";
import { broken, delegate, draw, slow, weather, wire } from "./scene-tools.ts";
import { openStage, recordRun, type StageOptions } from "./stage.ts";

const recordOne = async (options: StageOptions) => {
  const stage = await openStage(options);
  return recordRun(stage, await stage.start());
};

/** What becomes of calls nobody has to decide about. */
export const CALLS: readonly Scene[] = [
  {
    name: "delegated",
    about: "Two calls that wait for runs below, one of which fails, and an answer after them.",
    record: () =>
      recordOne({
        tools: [delegate],
        agent: { allowedAgents: ["agent"] },
        script: ({ messages }) => {
          const asked = textOf(messages[0] ?? { content: "" });
          if (asked === "Fail.") return [{ fail: "invalid_request" }];
          if (asked === "Look.") return "Found it.";
          if (messages.at(-1)?.role === "tool") return "One of two found it.";
          return ["Look.", "Fail."].map((prompt) => ({ call: "delegate", arguments: { prompt } }));
        },
      }),
  },
  {
    name: "parallel-tools",
    about: "Two calls of one step, text before them and an answer after them.",
    record: () =>
      recordOne({
        tools: [weather],
        script: [
          [
            { text: "Let me look." },
            { call: "weather", arguments: { city: "Oslo" } },
            { call: "weather", arguments: { city: "Lisbon" } },
          ],
          "Oslo is colder.",
        ],
      }),
  },
  {
    name: "tool-errors",
    about: "A tool that throws, arguments that do not fit, and a tool there is not.",
    record: () =>
      recordOne({
        tools: [weather, broken],
        script: [
          [{ call: "broken" }, { call: "weather", arguments: { city: 7 } }, { call: "nothing", raw: "{oops" }],
          "None of it worked.",
        ],
      }),
  },
  {
    name: "progress",
    about: "A tool that says how far it is.",
    record: () => recordOne({ tools: [slow], script: [[{ call: "slow" }], "It is done."] }),
  },
  {
    name: "shared-state",
    about: "Two tools that change the state of the application, one after the other.",
    record: () =>
      recordOne({
        tools: [draw],
        script: [
          [{ call: "draw", arguments: { shape: "circle" } }],
          [{ call: "draw", arguments: { shape: "square" } }],
          [{ text: "Both are drawn." }, { usage: { promptTokens: 7, completionTokens: 4 } }],
        ],
      }),
  },
  {
    name: "step-reset",
    about: "A call the stream broke off in; the model begins the step again and makes another one under the same id.",
    record: () =>
      recordOne({
        tools: [weather, slow],
        script: [
          [{ unfinishedCall: "slow", raw: '{"a":' }, { cut: true }],
          [{ text: "I will look." }, { call: "weather", arguments: { city: "Oslo" } }],
          "It is cold.",
        ],
      }),
  },
  {
    name: "call-cut-off-after-text",
    about: "A call the stream broke off in, behind text: the text is continued, and the call is given up.",
    record: () =>
      recordOne({
        tools: [weather, slow],
        script: [
          [{ text: "I will " }, { unfinishedCall: "slow", raw: '{"a":' }, { cut: true }],
          [{ text: "look." }, { call: "weather", arguments: { city: "Oslo" } }],
          "It is cold.",
        ],
      }),
  },
  {
    name: "reset-of-reasoning",
    about: "A stream that broke after reasoning alone.",
    record: () =>
      recordOne({
        script: [
          [{ reasoning: "Hm." }, { cut: true }],
          [{ reasoning: "Ah." }, { text: "Yes." }],
        ],
      }),
  },
  {
    name: "unfinished-call",
    about: "A stream that broke after one whole call and in another: the whole one counts.",
    record: () =>
      recordOne({
        tools: [weather],
        script: [
          [{ call: "weather", arguments: { city: "Oslo" } }, { unfinishedCall: "weather", raw: '{"ci' }, { cut: true }],
          "It is cold.",
        ],
      }),
  },
  {
    name: "max-rounds",
    about: "A run that was stopped after its first round.",
    record: () =>
      recordOne({
        tools: [weather],
        agent: { maxRounds: 1 },
        script: [[{ call: "weather", arguments: { city: "Oslo" } }]],
      }),
  },
  {
    name: "approval-open",
    about: "A call that waits for a yes, beside one that is done.",
    record: () =>
      recordOne({
        tools: [wire, weather],
        script: [
          [
            { text: "I need your word." },
            { call: "weather", arguments: { city: "Oslo" } },
            { call: "wire", arguments: { to: "Ada", amount: 10 } },
          ],
        ],
      }),
  },
];
