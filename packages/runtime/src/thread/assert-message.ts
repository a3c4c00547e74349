import { type ErrorCode, MESSAGE_INPUT, type MessageInput, RepriseError } from "@reprise/contracts";
import { describeProblem, type Shape } from "@reprise/contracts/shape";
import { isJson } from "@reprise/state";

/** Refuses a value that does not have its shape, with the path of the first problem. */
export function assertShape(shape: Shape<unknown>, value: unknown): void {
  const [problem] = shape.problems(value, []);
  if (problem === undefined) return;
  // A rule with a code of its own has one of the catalogue.
  throw new RepriseError((problem.code ?? "INVALID_REQUEST") as ErrorCode, `${describeProblem(problem)}.`);
}

/** A message from a tool is checked like one from a client; whatever its role, it will be a user's. */
export function assertQueued(message: MessageInput): void {
  const untrusted: unknown = message;
  if (!isJson(untrusted) || untrusted === null) throw new TypeError("a queued message is not a JSON object");
  assertShape(MESSAGE_INPUT, { ...message, role: "user" });
}
