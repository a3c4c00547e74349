import type { Scene } from "./scene.ts";
import { openStage, recordRun, type StageOptions } from "./stage.ts";

const recordOne = async (options: StageOptions) => {
  const stage = await openStage(options);
  return recordRun(stage, await stage.start());
};

const PICTURE = "data:image/png;base64,iVBORw0KGgo=";

/** What a model says. */
export const ANSWERS: readonly Scene[] = [
  {
    name: "text",
    about: "Text in pieces, with characters of every length.",
    record: () => recordOne({ script: [[{ text: ["Grüße, ", "世界 ", "🙂!"] }]] }),
  },
  {
    name: "reasoning",
    about: "Reasoning before and between text, and what only the provider can read.",
    record: () =>
      recordOne({
        script: [
          [
            { reasoning: "The user " },
            { reasoning: "wants something." },
            { encrypted: "c2VjcmV0" },
            { text: "First this." },
            { reasoning: "And now?" },
            { text: "Then that." },
            { usage: { promptTokens: 12, completionTokens: 34 } },
          ],
        ],
      }),
  },
  {
    name: "truncation",
    about: "An answer that ran out of room and was continued in the same step.",
    record: () => recordOne({ script: [[{ text: "One, two, " }, { stop: "max_tokens" }], [{ text: "three." }]] }),
  },
  {
    name: "interrupted-text",
    about: "A stream that broke in the middle of its text and was continued.",
    record: () => recordOne({ script: [[{ text: "Half " }, { cut: true }], [{ text: "and half." }]] }),
  },
  {
    name: "structured-output",
    about: "An answer of a shape, wrong first and right after it was sent back.",
    record: () =>
      recordOne({
        script: ["not JSON", '{"city":"Oslo"}'],
        agent: {
          outputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        },
      }),
  },
  {
    name: "files",
    about: "A picture the model made, beside its text.",
    record: () => recordOne({ script: [[{ text: "Here it is." }, { file: PICTURE, mediaType: "image/png" }]] }),
  },
];
