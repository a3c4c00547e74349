import { ERRORS, type ErrorCode, RepriseError } from "@reprise/contracts";
import { EXIT_CODES } from "./exit-code.ts";
import { CommandFailure, type Problem } from "./failure.ts";

/** Remedies in terms of commands; for other codes the catalogue has one. */
const REMEDIES: Partial<Readonly<Record<ErrorCode, string>>> = {
  THREAD_NOT_FOUND: "List them with: reprise threads",
  RUN_NOT_FOUND: "List them with: reprise runs",
  CALL_NOT_FOUND: "List open decisions with: reprise decide",
  NOT_SUSPENDED: "List open decisions with: reprise decide",
  DECISION_CONFLICT: "The first decision counts. List open decisions with: reprise decide",
  STORE_OWNED: "Stop that process, or use another --storage-dir or --instance-id.",
  STORE_UNAVAILABLE: "Check that the database is running and that DATABASE_URL points to it.",
  STORE_REPLACED: "Stop every process that uses the store, restore the right file, and start again.",
  STORAGE_FULL: "Free disk space. Nothing was lost, and runs continue by themselves.",
  PARTITIONS_CHANGED: "Name the databases that the store was made of, all of them and in the same order.",
  SCHEMA_OUTDATED: "Run `reprise migrate` with a role that may change the schema, then start again.",
  FORMAT_TOO_NEW: "Install a newer version of Reprise.",
  RUN_NOT_DONE: "Wait until it is done. Check with: reprise runs show <run>",
  VERSION_NOT_FOUND: "See the thread's version with: reprise threads show <thread>",
};

/** Codes that mean that the configuration is wrong. Their details list every problem. */
const MISCONFIGURED: readonly ErrorCode[] = [
  "CONFIG_INVALID",
  "EVAL_CASE_INVALID",
  "BUILD_FAILED",
  "VALIDATION_FAILED",
  "INVALID_AGENT_SPEC",
  "INVALID_DEFINITION",
  "PROVIDER_NOT_READY",
  "PROVIDER_NOT_FOUND",
  "MODEL_NOT_FOUND",
  "PLUGIN_NOT_FOUND",
];

/** Says any error in words for people, with what to do about it. */
export function toFailure(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (!RepriseError.is(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return new CommandFailure(message || "Something went wrong.", { code: "INTERNAL", cause: error });
  }
  const isMisconfigured = MISCONFIGURED.includes(error.code);
  const problems = isMisconfigured ? readProblems(error.details.problems) : [];
  return new CommandFailure(problems.length === 0 ? error.message : firstLine(error.message), {
    exitCode: isMisconfigured ? EXIT_CODES.misused : EXIT_CODES.failed,
    code: error.code,
    remedy: REMEDIES[error.code] ?? (problems.length === 0 ? ERRORS[error.code].remedy : undefined),
    problems,
    cause: error,
  });
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}

/** Problems of a configuration have a path; those of a registry have a kind and an id. */
function readProblems(value: unknown): readonly Problem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    if (typeof item !== "object" || item === null || !("message" in item)) return [];
    return [{ path: "path" in item ? String(item.path) : "", message: String(item.message) }];
  });
}
