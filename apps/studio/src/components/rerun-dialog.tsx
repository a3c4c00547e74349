import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ask } from "../api/connection.ts";
import { useAgents } from "../api/queries.ts";
import { answerOf, client, loadMessages } from "../api/requests.ts";
import type { Message } from "../api/types.ts";
import { fieldsOf } from "../log/block.ts";
import { type Moment, nextStep } from "../log/versions.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { ErrorNote, Skeleton } from "../parts/notice.tsx";

interface RerunDialogProps {
  readonly runId: string;
  readonly moment: Moment;
  readonly close: () => void;
}

/** Takes a finished run up again before a step, on a fork, with another model, other instructions or other results of tools. */
export function RerunDialog({ runId, moment, close }: RerunDialogProps): ReactNode {
  const navigate = useNavigate();
  const agents = useAgents();
  const run = useQuery({
    queryKey: ["run", runId],
    queryFn: ({ signal }) => answerOf(client.GET("/v1/runs/{id}", { params: { path: { id: runId } }, signal })),
  });
  const [model, setModel] = useState("");
  const [instructions, setInstructions] = useState("");
  const [results, setResults] = useState<ReadonlyMap<string, string>>(new Map());
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const steps = run.data?.steps ?? 0;
  const step = nextStep(moment, steps);
  const models = [...new Set((agents.data ?? []).flatMap(({ model: own }) => (own === undefined ? [] : [own])))];
  const threadId = run.data?.thread_id;
  const read = useQuery({
    queryKey: ["results", threadId, runId, step],
    queryFn: async ({ signal }) => resultsBefore(await loadMessages(threadId ?? "", signal, runId), runId, step),
    enabled: threadId !== undefined && step > 1,
  });
  const start = async (): Promise<void> => {
    setSending(true);
    setProblem(undefined);
    try {
      const toolResults = Object.fromEntries([...results].map(([id, text]) => [id, readResult(text)]));
      const changes = {
        ...(model !== "" && { model }),
        ...(instructions !== "" && { instructions }),
        ...(results.size > 0 && { toolResults }),
      };
      const response = await ask(`v1/runs/${encodeURIComponent(runId)}/rerun`, { json: { step, changes } });
      const started: { readonly run_id: string } = await response.json();
      close();
      await navigate({ to: "/compare/$a/$b", params: { a: runId, b: started.run_id } });
    } catch (error) {
      setProblem(error);
      setSending(false);
    }
  };
  return (
    <Dialog title="Re-run from here" close={close}>
      {run.data === undefined ? (
        run.error === null ? (
          <Skeleton rows={3} />
        ) : (
          <ErrorNote error={run.error} />
        )
      ) : run.data.status !== "done" ? (
        <p className="text-faint">This run is not over yet. It can be run again once it is done.</p>
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            void start();
          }}
        >
          <p className="text-faint">
            Takes the run up again before step {step} of {steps}, on a fork. Models and tools are asked for real; the
            original stays as it is.
          </p>
          <label className="flex flex-col gap-1">
            <span className="font-medium">Model</span>
            <input
              list="models"
              value={model}
              onChange={(event) => setModel(event.target.value)}
              placeholder="The same as before"
              className="h-8 rounded-md border border-line-strong bg-ground px-2"
            />
            <datalist id="models">
              {models.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          </label>
          <label className="flex flex-col gap-1">
            <span className="font-medium">Instructions</span>
            <textarea
              rows={4}
              value={instructions}
              onChange={(event) => setInstructions(event.target.value)}
              placeholder="The same as before"
              className="rounded-md border border-line-strong bg-ground p-2"
            />
          </label>
          {read.data !== undefined && read.data.length > 0 && (
            <fieldset className="flex flex-col gap-2">
              <legend className="mb-1 font-medium">Results of tools that the step reads</legend>
              {read.data.map(({ id, tool, text }) => (
                <details key={id} className="rounded-md border border-line">
                  <summary className="flex items-center gap-2 px-2.5 py-1.5 text-sm hover:bg-hover">
                    <Icon name="chevron" size={12} className="text-faint" />
                    <span className="font-mono font-semibold">{tool}</span>
                    <span className="min-w-0 flex-1 truncate font-mono text-xs text-faint">
                      {results.get(id) ?? text}
                    </span>
                    {results.has(id) && <span className="text-xs text-wait">changed</span>}
                  </summary>
                  <textarea
                    aria-label={`Result of ${tool}`}
                    rows={5}
                    spellCheck={false}
                    value={results.get(id) ?? text}
                    onChange={(event) => setResults(withResult(results, id, event.target.value, text))}
                    className="block w-full border-t border-line bg-ground p-2 font-mono text-xs leading-5"
                  />
                </details>
              ))}
            </fieldset>
          )}
          {problem !== undefined && <ErrorNote error={problem} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>Back</Button>
            <Button type="submit" kind="primary" disabled={isSending}>
              Re-run and compare
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

interface ReadResult {
  readonly id: string;
  readonly tool: string;
  readonly text: string;
}

/** The results of the step before, as people read them. */
function resultsBefore(messages: readonly Message[], runId: string, step: number): readonly ReadResult[] {
  const made = `${runId}-s${step - 1}-c`;
  return messages.flatMap(({ role, tool_call_id = "", content, metadata }) => {
    if (role !== "tool" || !tool_call_id.startsWith(made)) return [];
    const { tool_name } = fieldsOf(metadata);
    const text = typeof content === "string" ? content : "";
    return [{ id: tool_call_id, tool: String(tool_name), text: prettyText(text) }];
  });
}

/** JSON with indentation; other text as it is. */
function prettyText(text: string): string {
  const value = readResult(text);
  return typeof value === "string" ? text : JSON.stringify(value, null, 2);
}

function readResult(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withResult(
  results: ReadonlyMap<string, string>,
  id: string,
  text: string,
  original: string,
): ReadonlyMap<string, string> {
  const next = new Map(results);
  if (text === original) next.delete(id);
  else next.set(id, text);
  return next;
}
