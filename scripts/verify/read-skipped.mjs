import { parseArgs } from "node:util";

/**
 * Reads the names of the steps to leave out. A misspelt one is an error: it would otherwise skip nothing in silence.
 *
 * @param {readonly string[]} commandLine
 * @param {readonly string[]} names the steps there are
 * @returns {{ skipped: ReadonlySet<string>, problem?: undefined } | { problem: string }}
 */
export function readSkipped(commandLine, names) {
  const usage = `Usage: npm run verify [-- --skip <step> …]; the steps are ${names.join(", ")}.`;
  try {
    const { values } = parseArgs({ args: [...commandLine], options: { skip: { type: "string", multiple: true } } });
    const skipped = new Set(values.skip);
    const unknown = [...skipped].filter((name) => !names.includes(name));
    return unknown.length === 0 ? { skipped } : { problem: `There is no step "${unknown[0]}". ${usage}` };
  } catch (error) {
    return { problem: `${error instanceof Error ? error.message : error}\n${usage}` };
  }
}
