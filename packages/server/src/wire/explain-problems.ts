import { problemsOf } from "../config/config-problem.ts";
import type { HttpExchange } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { describeError } from "../http/describe-error.ts";

/** Answers a configuration that is wrong with every problem beside the error. */
export async function explainProblems(exchange: HttpExchange, produce: () => Promise<Response>): Promise<Response> {
  try {
    return await produce();
  } catch (error) {
    const problems = problemsOf(error);
    if (problems.length === 0) throw error;
    const { status, message, headers } = describeError(error);
    return answer(exchange, status, { error: message, problems }, headers);
  }
}
