/**
 * @typedef {object} Task
 * @property {string} purpose
 * @property {readonly string[]} command arguments of the pinned Node, relative to the repository
 */

/** @type {Readonly<Record<string, Task>>} */
export const TASKS = {
  start: {
    purpose: "serves the demonstration, with a page to chat at http://127.0.0.1:8080; no key needed",
    command: ["--conditions=reprise-source", "packages/cli/src/start.ts"],
  },
  test: {
    purpose: "runs the tests; arguments go to vitest",
    command: ["scripts/test.mjs"],
  },
  prove: {
    purpose: "runs the tests that take minutes: planted bugs, chaos, browsers, clients; arguments go to vitest",
    command: ["scripts/prove.mjs"],
  },
  verify: {
    purpose: "runs every check there is; --skip <step> leaves one out",
    command: ["scripts/verify.mjs"],
  },
  fuzz: {
    purpose: "runs the property tests for long; arguments go to vitest",
    command: ["scripts/fuzz.mjs"],
  },
  chaos: {
    purpose: "kills processes and cuts connections, and checks that nothing was lost; --help tells what it takes",
    command: ["--conditions=reprise-source", "e2e/chaos/main.ts"],
  },
  picture: {
    purpose: "records the README's animated picture in a browser, as its test plays it",
    command: ["--conditions=reprise-source", "e2e/start-page/record-picture.ts"],
  },
  build: {
    purpose: "compiles every package into its dist folder",
    command: ["scripts/build.mjs"],
  },
  docs: {
    purpose: "builds the documentation site and checks its links; --serve shows it at http://127.0.0.1:4173",
    command: ["scripts/docs.mjs"],
  },
  types: {
    purpose: "checks the types of sources, tests and scripts",
    command: ["node_modules/typescript/bin/tsc", "-p", "tsconfig.check.json"],
  },
  lint: {
    purpose: "checks format and lint rules",
    command: ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings"],
  },
  format: {
    purpose: "formats and mends what lint can mend",
    command: ["node_modules/@biomejs/biome/bin/biome", "check", "--write"],
  },
};
