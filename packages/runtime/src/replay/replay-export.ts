import { type Env, toRepriseError } from "@reprise/contracts";
import { type Json, parseJson } from "@reprise/state";
import { Agents } from "../resolve/agents.ts";
import { buildRegistries, type Definitions } from "../resolve/build-registries.ts";
import { readRecording } from "./read-recording.ts";
import { replayImpossible } from "./replay-errors.ts";
import { type ReplayMode, type ReplayResult, replayRecording } from "./replay-recording.ts";

export interface ReplayExportOptions extends Definitions {
  readonly env: Env;
  /** `verify` unless it is said otherwise; `reexecute` needs the agent of the run among the agents. */
  readonly mode?: ReplayMode;
}

/** Replays an exported run without a store: a value that `exportRun` gave, or its text. Anything else is refused, typed. */
export async function replayExport(exported: unknown, options: ReplayExportOptions): Promise<ReplayResult> {
  const { env, mode = "verify", ...definitions } = options;
  const recording = readRecording(typeof exported === "string" ? parse(exported) : exported);
  const isAsking = mode === "reexecute";
  const agents = isAsking ? new Agents(buildRegistries(definitions), env) : undefined;
  agents?.assertKnown(recording.run.agent_id);
  const programs = new Map(definitions.programs?.map((program) => [program.kind, program]));
  const program = (kind: string) => programs.get(kind);
  const context = { env, mode, program, ...(agents !== undefined && { agents }) };
  try {
    return await replayRecording(recording, context);
  } catch (error) {
    const { code, message } = toRepriseError(error);
    // What a foreign value makes the loop stumble over says nothing about us.
    if (code !== "INTERNAL" && code !== "INVALID_REQUEST") throw error;
    throw replayImpossible(recording.run.run_id, `its recording is inconsistent: ${message}`, error);
  }
}

function parse(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw replayImpossible("of this text", "it is not JSON", error);
  }
}
