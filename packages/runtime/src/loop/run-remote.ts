import { type AgentSpec, type ExecutionBackend, RepriseError, type Termination } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { withTimeout } from "../tools/with-timeout.ts";
import { messageIdOf, stepIdOf } from "./derived-ids.ts";
import type { RunWorkspace } from "./run-workspace.ts";

type BackendResult = Awaited<ReturnType<ExecutionBackend["run"]>>;

/** Has a run executed elsewhere: the thread, the journal and the outcome are kept here, the work is not done here. */
export async function runRemote(
  workspace: RunWorkspace,
  spec: AgentSpec,
  backend: ExecutionBackend,
): Promise<Termination> {
  const { run, signal, services, effects, journal } = workspace;
  const stepId = stepIdOf(run.run_id, run.steps + 1);
  workspace.setRun({ steps: run.steps + 1 });
  workspace.show("step_start", { message_id: messageIdOf(stepId) }, stepId);
  workspace.assertHeld();
  let isOver = false;
  let result: BackendResult | undefined;
  const showText = (delta: string): void => {
    if (!isOver) workspace.show("text_delta", { delta }, stepId);
  };
  const ask = async (): Promise<BackendResult> => {
    // Raced with the signal: a backend that does not heed it must not hold the run up.
    const work = withTimeout(services.env.clock, signal, null, (own) => {
      const { run_id, thread_id } = run;
      return backend.run(spec, { run_id, thread_id, messages: workspace.modelMessages(), signal: own, showText });
    });
    result = await work.finally(() => {
      isOver = true;
    });
    return result;
  };
  const { termination, text } = await effects.stream(
    {
      kind: "backend",
      of: stepId,
      seq: () => journal.seq,
      play: (event) => {
        if (event.type === "text_delta") showText(event.data.delta);
      },
      // Made of JSON; its interface hides it.
      facts: () => (result ?? null) as unknown as Json,
      recall: () => undefined,
    },
    ask,
  );
  if (termination.type === "suspended") {
    throw new RepriseError(
      "INTERNAL",
      `Backend ${backend.id} left run ${run.run_id} waiting for nothing that is known here.`,
    );
  }
  if (text !== "") {
    const metadata = { run_id: run.run_id, step_index: run.steps + 1 };
    workspace.addMessage({ id: messageIdOf(stepId), role: "assistant", content: text, metadata });
  }
  workspace.hold("step_end", {}, stepId);
  return termination;
}
