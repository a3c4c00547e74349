import { ERRORS, EVENT_TYPES } from "@reprise/contracts";
import { expect, it } from "vitest";
import { ROOT } from "../scripts/repository.mjs";
import { readWorkspace } from "./support/architecture/workspace.ts";

const sources = readWorkspace(ROOT).flatMap((owner) => owner.sources);

/** The names that no source but those that declare them has as a text. */
function findUnused(names: readonly string[], isUser: (path: string) => boolean): readonly string[] {
  const users = sources.filter(({ path }) => isUser(path));
  return names.filter((name) => !users.some(({ text }) => text.includes(`"${name}"`)));
}

it("the runtime, a plugin or a workflow emits every type of event that the format declares", () => {
  const isEmitter = (path: string): boolean => /^packages\/(runtime|plugins|workflow)\/src\//.test(path);
  expect(findUnused(EVENT_TYPES, isEmitter)).toEqual([]);
});

it("some package raises every error code of the catalogue", () => {
  const isUser = (path: string): boolean => path !== "packages/contracts/src/errors/catalogue.ts";
  expect(findUnused(Object.keys(ERRORS), isUser)).toEqual([]);
});

it("finds a name that nothing uses", () => {
  expect(findUnused(["run_finish", "dream_start"], () => true)).toEqual(["dream_start"]);
});
