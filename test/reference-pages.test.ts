import { STATE_ERRORS } from "@reprise/state";
import { expect, it } from "vitest";

/** Generated from the catalogue; `npm test -- -u` rewrites the page. */
function errorsPage(): string {
  const rows = Object.entries(STATE_ERRORS).map(([code, when]) => `| \`${code}\` | ${when} |`);
  return `# Errors

<!-- Generated from packages/state/src/errors.ts by test/reference-pages.test.ts; \`npm test -- -u\` rewrites it. -->

Every error of the state engine is a \`StateError\` with a \`code\`, a \`path\` when it has a place, \`details\`, and a message that names the
place as \`$.users[0].name\`. Branch on the code: \`StateError.is(error, "PATH_NOT_FOUND")\`. Messages hold paths and types, never
values. \`error.withPrefix(path)\` is the same error seen from further out.

| code | when |
|---|---|
${rows.join("\n")}
`;
}

it("the errors page lists every error of the catalogue", async () => {
  await expect(errorsPage()).toMatchFileSnapshot("../docs/reference/errors.md");
});
