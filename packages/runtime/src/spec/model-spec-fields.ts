import { chatOptionsShape, type Modality, type ModelPricing, type ModelSpec } from "@reprise/contracts";
import {
  listOf,
  narrowed,
  nonEmptyText,
  numberFrom,
  objectOf,
  oneOf,
  optional,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";
import type { FieldRow } from "./field-table.ts";

const modalities = narrowed(listOf(oneOf<Modality>("text", "image", "audio", "video", "pdf")), (list) =>
  Array.isArray(list) && new Set(list).size < list.length ? "a modality is given twice" : undefined,
);

const price = optional(numberFrom(0));

/** Every field of a model spec as people may write it. */
export const MODEL_SPEC_FIELDS: readonly FieldRow[] = [
  { name: "id", shape: nonEmptyText, isRequired: true, meaning: "The id by which agents name the model." },
  { name: "provider", aliases: ["provider_id"], shape: nonEmptyText, isRequired: true, meaning: "Who has the model." },
  {
    name: "model",
    aliases: ["upstream_model"],
    shape: nonEmptyText,
    isRequired: true,
    meaning: "The provider's own name for it.",
  },
  {
    name: "surface",
    shape: oneOf("chat", "generative"),
    meaning: "`generative` for a model that makes media at an endpoint of its own; `chat` unless given.",
  },
  { name: "context_window", shape: wholeNumberFrom(1), meaning: "Tokens it can read and write together." },
  { name: "max_output_tokens", shape: wholeNumberFrom(1), meaning: "Tokens it can write; at most its window." },
  {
    name: "modalities",
    shape: objectOf<NonNullable<ModelSpec["modalities"]>>({
      input: optional(modalities),
      output: optional(modalities),
    }),
    meaning: "What it takes and gives.",
  },
  {
    name: "knowledge_cutoff",
    shape: narrowed(nonEmptyText, findDateProblem),
    meaning: "Until when it knows the world: `YYYY-MM` or `YYYY-MM-DD`.",
  },
  {
    name: "pricing",
    shape: objectOf<ModelPricing>({
      input_per_million: price,
      output_per_million: price,
      cache_read_per_million: price,
      cache_write_per_million: price,
      media_per_unit: price,
    }),
    meaning: "What a million tokens cost, or one picture or second.",
  },
  { name: "chat_options", shape: chatOptionsShape, meaning: "Settings for every request to it." },
];

function findDateProblem(date: Json): string | undefined {
  const [, year, month, day = "1"] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(String(date)) ?? [];
  if (year === undefined || month === undefined) return `${JSON.stringify(date)} is neither YYYY-MM nor YYYY-MM-DD`;
  const isOnCalendar =
    Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month));
  return isOnCalendar ? undefined : `${JSON.stringify(date)} is not on the calendar`;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
