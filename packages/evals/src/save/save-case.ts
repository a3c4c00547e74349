import type { Env } from "@reprise/contracts";
import { cutRecording, type Definitions, type RunRecording, replayExport } from "@reprise/runtime";
import { CASE_FORMAT, type EvalCase } from "../case/eval-case.ts";
import type { Expectations } from "../case/expectations.ts";
import { invalidCase, readCase } from "../case/read-case.ts";
import { observeRecording } from "../check/observe-run.ts";
import { type RedactionOptions, redactRecording } from "./redact-recording.ts";

export interface SaveCaseOptions {
  /** The agent's id and the beginning of the recording's digest, unless given: ids of runs may say who somebody is. */
  readonly id?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** The last step of the case; the whole run unless given. */
  readonly upToStep?: number;
  readonly redact?: RedactionOptions;
  /** What is expected; what the run did, unless given. */
  readonly expect?: Expectations;
  readonly env: Env;
  /** Programs of agents that are run by one, such as workflows. */
  readonly programs?: Definitions["programs"];
}

/**
 * Makes a case of an exported run. The run is verified first, because a recording that is not whole would be a test of nothing. Then it
 * is cut and redacted. By default a case expects the calls, the approvals and the end of the run as they were.
 */
export async function saveCase(exported: RunRecording, options: SaveCaseOptions): Promise<EvalCase> {
  const { id = nameOf(exported), description, tags, upToStep, redact = {}, env, programs } = options;
  const replay = { env, ...(programs !== undefined && { programs }) };
  const verified = await replayExport(exported, replay);
  if (!verified.equal) {
    const { what, version } = verified.divergence;
    const message = `Run ${exported.run.run_id} cannot be saved as a case: its replay differs in the ${what} at version ${version}.`;
    throw invalidCase(message, { divergence: verified.divergence });
  }
  const cut = upToStep === undefined ? exported : cutRecording(exported, upToStep + 1, env);
  const { recording, replaced } = redactRecording(cut, redact, env);
  const again = await replayExport(recording, replay);
  const { agent_id, steps } = exported.run;
  return readCase({
    format: CASE_FORMAT,
    id,
    ...(description !== undefined && { description }),
    agent_id,
    ...(tags !== undefined && { tags }),
    source: {
      run_id: recording.run.run_id,
      digest: exported.digest,
      steps: recording.run.steps,
      ...(recording.run.steps < steps && { cut_before_step: recording.run.steps + 1 }),
    },
    redaction: {
      replaced,
      ...(!again.equal && {
        unverifiable: `the ${again.divergence.what} at version ${again.divergence.version} follows from redacted text`,
      }),
    },
    expect: options.expect ?? expectationsOf(recording),
    recording,
  });
}

/** The same for every case of a run. */
function nameOf({ run, digest }: RunRecording): string {
  return `${run.agent_id}-${digest.slice(0, 8)}`.replaceAll(/[^A-Za-z0-9_.-]/g, "-");
}

/** What a run did, as expectations. */
function expectationsOf(recording: RunRecording): Expectations {
  const { calls, approvals, ended } = observeRecording(recording);
  return {
    tools: { match: "exact", calls: calls.map(({ id: _id, error: _error, ...call }) => call) },
    approvals: approvals.map(({ tool, arguments: given }) => ({ tool, arguments: given })),
    ...(recording.run.status === "done" && { ended }),
  };
}
