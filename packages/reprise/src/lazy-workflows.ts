import type { Env, RunProgram } from "@reprise/contracts";
import type { Agent } from "@reprise/runtime";

/** The kind of the program that runs workflows. */
const KIND = "workflow";

/** The program of workflows, loaded when the first one is there: a runtime without workflows has no sandbox to load. */
export interface LazyWorkflows extends RunProgram {
  load(): Promise<RunProgram>;
}

export function createLazyWorkflows(env: Env): LazyWorkflows {
  let loading: Promise<RunProgram> | undefined;
  let loaded: RunProgram | undefined;
  const load = async (): Promise<RunProgram> => {
    loading ??= import("./node-workflows.ts").then(({ nodeWorkflows }) => nodeWorkflows({ env }));
    loaded = await loading;
    return loaded;
  };
  return {
    kind: KIND,
    load,
    // A workflow that comes later was checked where it was made.
    findProblem: (definition) => loaded?.findProblem(definition),
    run: async (port) => (await load()).run(port),
  };
}

export function isWorkflow({ spec }: Pick<Agent, "spec">): boolean {
  return spec.program?.kind === KIND;
}

/** A program of the application goes before. */
export function withWorkflows(programs: readonly RunProgram[], own: RunProgram): readonly RunProgram[] {
  return programs.some(({ kind }) => kind === own.kind) ? programs : [...programs, own];
}
