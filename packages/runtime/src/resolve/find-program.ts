import type { ProgramSpec, RunProgram } from "@reprise/contracts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import { sayKnown, unresolvable } from "./resolve-errors.ts";

/** The program that runs an agent; refuses a definition it could not run. */
export function findProgram(
  { programs }: Pick<RegistrySet, "programs">,
  { spec, program: own }: AgentEntry,
  { kind, definition }: ProgramSpec,
): RunProgram {
  const program = own?.kind === kind ? own : programs.get(kind);
  if (program === undefined) {
    const problem = `no registered program has the kind ${JSON.stringify(kind)}.${sayKnown(kind, programs.ids())}`;
    throw unresolvable("PROGRAM_NOT_FOUND", spec.id, `${problem} Give it to createRuntime({ programs }).`, { kind });
  }
  const problem = program.findProblem(definition);
  if (problem === undefined) return program;
  throw unresolvable("INVALID_PROGRAM", spec.id, `its ${kind} cannot be run: ${problem}`, { kind });
}
