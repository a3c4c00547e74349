import { expect, it } from "vitest";
import { readModelSpec } from "../../src/spec/read-model-spec.ts";
import { failureOf } from "./support/world.ts";

const LEAST = { id: "m", provider: "p", model: "gpt" };

function problemsOf(fields: object): unknown {
  return failureOf(() => readModelSpec({ ...LEAST, ...fields }), "INVALID_DEFINITION").details.problems;
}

it("takes every field as it is, and aliases by their one name", () => {
  const full = {
    ...LEAST,
    context_window: 1000,
    max_output_tokens: 1000,
    modalities: { input: ["text", "image"], output: ["text"] },
    knowledge_cutoff: "2024-02-29",
    pricing: { input_per_million: 0, output_per_million: 1.5, cache_read_per_million: 1, cache_write_per_million: 2 },
    chat_options: { temperature: 1 },
  };
  expect(readModelSpec(full)).toEqual(full);
  expect(readModelSpec({ id: "m", provider_id: "p", upstream_model: "gpt" })).toEqual(LEAST);
});

it.each([
  [{ context_window: 0 }, "`context_window` must be a whole number of at least 1 (got 0)"],
  [{ max_output_tokens: 0 }, "`max_output_tokens` must be a whole number of at least 1 (got 0)"],
  [{ context_window: 10, max_output_tokens: 11 }, "`max_output_tokens` is 11, more than the `context_window` of 10"],
  [{ pricing: { input_per_million: -1 } }, "`pricing`.input_per_million must be a number of at least 0 (got -1)"],
  [
    { pricing: { output_per_million: Number.POSITIVE_INFINITY } },
    "`pricing`.output_per_million must be a number of at least 0 (got Infinity)",
  ],
  [{ modalities: { input: ["text", "text"] } }, "`modalities`.input: a modality is given twice"],
  [
    { modalities: { output: ["smell"] } },
    '`modalities`.output[0] must be one of text, image, audio, video, pdf (got "smell")',
  ],
  [{ knowledge_cutoff: "2023-02-29" }, '`knowledge_cutoff`: "2023-02-29" is not on the calendar'],
  [{ knowledge_cutoff: "2024-13" }, '`knowledge_cutoff`: "2024-13" is not on the calendar'],
  [{ knowledge_cutoff: "2024-04-31" }, '`knowledge_cutoff`: "2024-04-31" is not on the calendar'],
  [{ knowledge_cutoff: "1900-02-29" }, '`knowledge_cutoff`: "1900-02-29" is not on the calendar'],
  [{ knowledge_cutoff: "May 2024" }, '`knowledge_cutoff`: "May 2024" is neither YYYY-MM nor YYYY-MM-DD'],
  [{ provider_id: "q" }, "`provider` and `provider_id` are names of one field; give one of them"],
  [{ contextWindw: 5 }, "`contextWindw` is not known (the nearest is `contextWindow`)"],
  [{ contextWindow: 5, context_window: 5 }, "`contextWindow` is not known (the nearest is `context_window`)"],
  [{ contextWindow: 1, maxOutputTokens: 2 }, "`maxOutputTokens` is 2, more than the `contextWindow` of 1"],
  [{ pricing: { inputPerMilion: 5 } }, "`pricing`.inputPerMilion is not known (the nearest is `inputPerMillion`)"],
])("refuses %j", (fields, problem) => {
  expect(problemsOf(fields)).toEqual([problem]);
});

it.each(["2024-06", "2024-06-30", "2000-02-29", "2023-12-31"])("takes the cutoff %s", (knowledge_cutoff) => {
  expect(readModelSpec({ ...LEAST, knowledge_cutoff }).knowledge_cutoff).toBe(knowledge_cutoff);
});

it("reports every problem at once", () => {
  expect(failureOf(() => readModelSpec({ context_window: -1 }), "INVALID_DEFINITION").details.problems).toHaveLength(4);
});
