import { invalidRequest, type ModelAnswer, type ModelWork, toRepriseError } from "@reprise/contracts";
import type { Services } from "../loop/services.ts";
import { stepIdOf } from "../thread/derived-ids.ts";
import { replayRecording } from "./replay-recording.ts";
import { exportRun } from "./replay-run.ts";

/** What a model was asked in a step of a finished run, and how it answered. */
export interface ModelCall {
  /** The id of the model that was wanted. A route stands for several; `model_routed` lists the attempts. */
  readonly model: string;
  /** Exactly what was sent: the instructions, the messages after every plugin and the context window, the tools, the options. */
  readonly request: ModelWork["request"];
  readonly answer?: ModelAnswer;
  /** Why no model answered. */
  readonly error?: string;
}

/**
 * The requests of a step, in order: more than one when plugins rejected an answer or no model could be asked at first. They are not
 * stored; a replay of the run makes them again from its recording, without asking a model.
 */
export async function readModelCalls(
  services: Services,
  tenant: string,
  runId: string,
  step: number,
): Promise<readonly ModelCall[]> {
  const recording = await exportRun(services, tenant, runId);
  const { steps } = recording.run;
  if (!Number.isSafeInteger(step) || step < 1 || step > steps)
    throw invalidRequest(`Run ${runId} has no step ${step}; it has ${steps}.`, { run_id: runId, step });
  const calls: ModelCall[] = [];
  const wanted = stepIdOf(runId, step);
  await replayRecording(recording, {
    env: services.env,
    mode: "verify",
    program: (kind) => services.agents.program(kind),
    reader: {
      model({ stepId, model, request }) {
        if (stepId !== wanted) return undefined;
        const at = calls.push({ model, request }) - 1;
        return {
          end(ending) {
            const how = "error" in ending ? { error: toRepriseError(ending.error).message } : { answer: ending.answer };
            calls[at] = { model, request, ...how };
          },
        };
      },
    },
  });
  return calls;
}
