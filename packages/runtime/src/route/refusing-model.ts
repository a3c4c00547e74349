import { AttemptRefused } from "./attempt-gate.ts";
import type { OpeningModel } from "./open-stream.ts";

/**
 * Replaces a model that may not be asked: its caller gets the reason, and nothing leaves the process. Refused where a model
 * would fail, so that a refusal is noted and replayed as a failure is.
 */
export function refusingModel(id: string, reason: unknown): OpeningModel {
  const refuse = (): never => {
    throw new AttemptRefused(reason);
  };
  return { id, stream: refuse, open: async () => refuse() };
}
