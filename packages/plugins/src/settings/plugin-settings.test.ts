import { objectOf, optional, wholeNumberFrom } from "@reprise/contracts/shape";
import { expect, it } from "vitest";
import { definePluginSettings } from "./plugin-settings.ts";

interface Settings {
  readonly max_lines?: number;
  readonly max_words?: number;
}

const SHAPE = objectOf<Settings>({ max_lines: optional(wholeNumberFrom(1)), max_words: optional(wholeNumberFrom(1)) });

it("takes options in camelCase, and lets a section of the agent win field by field", () => {
  const settings = definePluginSettings("brief", SHAPE, { maxLines: 3, maxWords: 9 });
  expect(settings.sections).toEqual({ brief: SHAPE.schema });
  expect(settings.read({ section: () => undefined })).toEqual({ max_lines: 3, max_words: 9 });
  const section = { max_lines: 5 };
  const read = settings.read({ section: () => section });
  expect(read).toEqual({ max_lines: 5, max_words: 9 });
  expect(settings.read({ section: () => section })).toBe(read);
});

it("refuses options that do not fit, and names the option", () => {
  const refused = () => definePluginSettings("brief", SHAPE, { maxLines: 0 });
  expect(refused).toThrow("Plugin brief has an invalid option: maxLines must be a whole number of at least 1 (got 0).");
  expect(() => definePluginSettings("brief", SHAPE, { maxLine: 1 })).toThrow(
    "Plugin brief has an invalid option: maxLine is not known (the nearest is `maxLines`).",
  );
});
