import {
  listOf,
  named,
  nonEmptyText,
  type ObjectShape,
  objectOf,
  optional,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { NewCase } from "../evals/evaluations.ts";

/** Each text and each name is looked for in all of a run. */
const MAX_TO_REDACT = 100;
const MAX_TAGS = 50;

type Redact = NonNullable<NewCase["redact"]>;

/** The body that makes a case of a run. A misspelt field is refused: what it was to take out would stay in. */
export const NEW_CASE_BODY: ObjectShape<NewCase> = objectOf<NewCase>({
  id: optional(nonEmptyText, "Letters, digits, `_`, `-` and `.`"),
  description: optional(nonEmptyText),
  tags: optional(listOf(nonEmptyText, MAX_TAGS)),
  upToStep: named(optional(wholeNumberFrom(1), "The last step of the case"), "upToStep", "up_to_step"),
  redact: optional(
    objectOf<Redact>({
      texts: optional(listOf(nonEmptyText, MAX_TO_REDACT), "Texts to take out wherever they stand"),
      fields: optional(listOf(nonEmptyText, MAX_TO_REDACT), "Names of fields whose values are taken out"),
    }),
  ),
});
