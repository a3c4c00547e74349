/**
 * @typedef {object} Task
 * @property {string} purpose
 * @property {readonly string[]} command arguments of the pinned Node, relative to the repository
 * @property {true} [needsStudio] the studio is built first
 */

/** @type {Readonly<Record<string, Task>>} */
export const TASKS = {
  start: {
    purpose: "serves the demonstration, with the studio at http://127.0.0.1:8080; no key needed",
    command: ["--conditions=reprise-source", "packages/cli/src/start.ts"],
    needsStudio: true,
  },
  test: {
    purpose: "runs the tests; arguments go to vitest",
    command: ["scripts/test.mjs"],
    needsStudio: true,
  },
  prove: {
    purpose: "runs the tests that take minutes: planted bugs, chaos, browsers, clients; arguments go to vitest",
    command: ["scripts/prove.mjs"],
    needsStudio: true,
  },
  verify: {
    purpose: "runs every check there is; --skip <step> leaves one out",
    command: ["scripts/verify.mjs"],
  },
  fuzz: {
    purpose: "runs the property tests for long; arguments go to vitest",
    command: ["scripts/fuzz.mjs"],
    needsStudio: true,
  },
  chaos: {
    purpose: "kills processes and cuts connections, and checks that nothing was lost; --help tells what it takes",
    command: ["--conditions=reprise-source", "e2e/chaos/main.ts"],
  },
  picture: {
    purpose: "records the README's animated picture in a browser, as its test plays it",
    command: ["--conditions=reprise-source", "e2e/studio/record-picture.ts"],
  },
  screens: {
    purpose: "takes the documentation's pictures of the studio in a browser",
    command: ["--conditions=reprise-source", "e2e/studio/record-screens.ts"],
    needsStudio: true,
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
