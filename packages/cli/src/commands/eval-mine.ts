import { type MinedDifference, type Mining, mineRuns, readCandidate } from "@reprise/evals";
import { createNodeEnv } from "@reprise/node";
import { permission } from "@reprise/plugins/permission";
import { parseJson } from "@reprise/state";
import { logOf } from "../compose/create-log.ts";
import { openToLook } from "../compose/open-app.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { usageFailure } from "../output/failure.ts";
import { duration } from "../settings/read-values.ts";
import { type CommandInput, textOption } from "./command.ts";
import { readDefinitions, readExport } from "./replay.ts";
import { withApp } from "./with-app.ts";

/** Says what candidate rules would have changed about the runs of the store. */
export async function mineStoredRuns(input: CommandInput): Promise<ExitCode> {
  const { settings, output } = input;
  const file = textOption(input, "policy");
  if (file === undefined) throw usageFailure("--policy <file> is missing.");
  const candidate = readCandidate(parseJson(readExport(file)), file);
  const within = duration("--since", textOption(input, "since"));
  const agent = textOption(input, "agent");
  const definitions = await readDefinitions(settings, "recorded");
  const mining = await withApp(
    input,
    ({ runtime }) =>
      mineRuns({
        runtime,
        definitions,
        candidate,
        permission: permission(),
        env: createNodeEnv({ log: logOf(settings) }),
        ...(within !== undefined && { since: runtime.now() - within }),
        ...(agent !== undefined && { agent }),
        onRun: (runs) => output.progress(`${runs} runs …`),
      }),
    openToLook,
  );
  output.answer(mining, () => describe(mining));
  return EXIT_CODES.ok;
}

function describe({ runs, differing, drifted, skipped, totals, counts }: Mining): string {
  return [
    ...differing.flatMap(({ run_id, agent_id, differences }) => [
      `${run_id} (${agent_id})`,
      ...differences.map((difference) => `  ${sayDifference(difference)}`),
    ]),
    ...drifted.flatMap(({ run_id, agent_id, differences, notes }) => [
      `${run_id} (${agent_id}) differs with the agents of today, without the policy`,
      ...differences.map((difference) => `  ${sayDifference(difference)}`),
      ...notes.map(({ message }) => `  ${message}`),
    ]),
    ...skipped.map(({ run_id, message }) => `${run_id} was not played: ${message}`),
    `${differing.length} of ${runs} runs would differ: ${totals.asked} calls asked about, ${totals.denied} denied, ${totals.stopped} runs that end otherwise; ${skipped.length} were not played`,
    `${counts.model_calls} model calls and ${counts.tool_calls} tool calls were made`,
  ].join("\n");
}

const WORDS: Readonly<Record<MinedDifference["kind"], string>> = {
  asked: "would be asked about",
  not_asked: "would no longer be asked about",
  denied: "would be denied",
  not_denied: "would no longer be denied",
  stopped: "would end otherwise",
};

function sayDifference({ kind, tool, arguments: given, before, after }: MinedDifference): string {
  if (tool === undefined) return `would end as ${after}, and ended as ${before}`;
  return `${tool} ${JSON.stringify(given)} ${WORDS[kind]}`;
}
