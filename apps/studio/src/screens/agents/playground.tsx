import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ask } from "../../api/connection.ts";
import { useAgents } from "../../api/queries.ts";
import { answerOf, client, loadMessages } from "../../api/requests.ts";
import type { Agent, Message, Run } from "../../api/types.ts";
import { fieldsOf } from "../../log/block.ts";
import { statusOfRun } from "../../log/fold-messages.ts";
import { Button } from "../../parts/button.tsx";
import { formatCost, formatCount, formatDuration, formatTime } from "../../parts/format.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { ErrorNote, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";

const FIELD = "rounded-md border border-line-strong bg-ground px-2";

/** Tries another prompt or another model on a turn that was recorded, and shows both answers side by side. */
export function Playground({ agent }: { readonly agent: Agent }): ReactNode {
  const { id: agentId } = agent;
  const agents = useAgents();
  const [chosen, setChosen] = useState("");
  const [step, setStep] = useState(1);
  const [model, setModel] = useState("");
  const [instructions, setInstructions] = useState("");
  const [trial, setTrial] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const runs = useQuery({
    queryKey: ["playground-runs", agentId],
    queryFn: async ({ signal }) => {
      const query = { agent_id: agentId, status: "done" as const, limit: 30 };
      return (await answerOf(client.GET("/v1/runs", { params: { query }, signal }))).items;
    },
    refetchInterval: 10_000,
  });
  const recorded = (runs.data ?? []).filter(({ steps, run_id }) => (steps ?? 0) > 0 && run_id !== trial);
  const run = recorded.find(({ run_id }) => run_id === chosen) ?? recorded[0];
  const models = [...new Set((agents.data ?? []).flatMap(({ model: own }) => (own === undefined ? [] : [own])))];
  const steps = run?.steps ?? 1;
  const attempt = async (): Promise<void> => {
    if (run === undefined) return;
    setProblem(undefined);
    setSending(true);
    try {
      const changes = { ...(model !== "" && { model }), ...(instructions !== "" && { instructions }) };
      const path = `v1/runs/${encodeURIComponent(run.run_id)}/rerun`;
      const { run_id } = await (await ask(path, { json: { step: Math.min(step, steps), changes } })).json();
      setTrial(run_id);
    } catch (error) {
      setProblem(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <section aria-label="Playground" className="flex flex-col gap-3">
      <header>
        <h3 className="font-semibold">Playground</h3>
        <p className="text-sm text-faint">
          Another prompt or model on a recorded turn, on a fork. Models and tools are asked for real; the recording
          stays as it is.
        </p>
      </header>
      {runs.error !== null ? (
        <ErrorNote error={runs.error} retry={() => void runs.refetch()} />
      ) : runs.data === undefined ? (
        <Skeleton rows={2} />
      ) : run === undefined ? (
        <p className="text-sm text-faint">
          This agent has no finished run yet. Talk to it once, and its turns can be tried again here.
        </p>
      ) : (
        <>
          <form
            className="flex flex-col gap-3 rounded-lg border border-line p-4"
            onSubmit={(event) => {
              event.preventDefault();
              void attempt();
            }}
          >
            <div className="grid gap-3 md:grid-cols-[1fr_auto_1fr]">
              <label className="flex min-w-0 flex-col gap-1 text-sm text-faint">
                Recorded run
                <select
                  value={run.run_id}
                  onChange={(event) => {
                    setChosen(event.target.value);
                    setStep(1);
                    setTrial(undefined);
                  }}
                  className={`${FIELD} h-8 text-ink`}
                >
                  {recorded.map((each) => (
                    <option key={each.run_id} value={each.run_id}>
                      {formatTime(each.created_at, true)} · {statusOfRun(each)} · {each.thread_id}
                    </option>
                  ))}
                </select>
              </label>
              <label className="flex flex-col gap-1 text-sm text-faint">
                Step
                <select
                  value={Math.min(step, steps)}
                  onChange={(event) => setStep(Number(event.target.value))}
                  className={`${FIELD} h-8 text-ink`}
                >
                  {Array.from({ length: steps }, (_, index) => index + 1).map((each) => (
                    <option key={each} value={each}>
                      {each} of {steps}
                    </option>
                  ))}
                </select>
              </label>
              <label className="flex min-w-0 flex-col gap-1 text-sm text-faint">
                Model
                <select
                  value={model}
                  onChange={(event) => setModel(event.target.value)}
                  className={`${FIELD} h-8 text-ink`}
                >
                  <option value="">The same as before</option>
                  {models.map((each) => (
                    <option key={each} value={each}>
                      {each}
                    </option>
                  ))}
                </select>
              </label>
            </div>
            <label className="flex flex-col gap-1 text-sm text-faint">
              Prompt
              <textarea
                rows={4}
                value={instructions}
                onChange={(event) => setInstructions(event.target.value)}
                placeholder="The same as before"
                className={`${FIELD} py-1.5 text-base text-ink`}
              />
            </label>
            {problem !== undefined && <ErrorNote error={problem} dismiss={() => setProblem(undefined)} />}
            <Button type="submit" kind="primary" icon="bolt" disabled={isSending} className="self-start">
              Try it
            </Button>
          </form>
          <div className="grid gap-3 md:grid-cols-2">
            <Answer title="Recorded" run={run} />
            {trial === undefined ? (
              <p className="rounded-lg border border-dashed border-line p-4 text-sm text-faint">
                The new answer appears here.
              </p>
            ) : (
              <Trial key={trial} runId={trial} original={run.run_id} />
            )}
          </div>
        </>
      )}
    </section>
  );
}

/** The run that was started, until it is over. */
function Trial({ runId, original }: { readonly runId: string; readonly original: string }): ReactNode {
  const run = useQuery({
    queryKey: ["run", runId],
    queryFn: ({ signal }) => answerOf(client.GET("/v1/runs/{id}", { params: { path: { id: runId } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === "done" ? false : 700),
  });
  if (run.error !== null) return <ErrorNote error={run.error} />;
  if (run.data === undefined) return <Skeleton rows={3} />;
  return (
    <Answer title="Tried" run={run.data}>
      <Link to="/compare/$a/$b" params={{ a: original, b: runId }} className="text-sm text-accent underline">
        compare step by step
      </Link>
    </Answer>
  );
}

/** What a run came to: its last answer, its time, its tokens and its cost. */
function Answer({
  title,
  run,
  children,
}: {
  readonly title: string;
  readonly run: Run;
  readonly children?: ReactNode;
}): ReactNode {
  const { run_id: runId, thread_id: threadId, updated_at } = run;
  const messages = useQuery({
    queryKey: ["answer", runId, updated_at],
    queryFn: ({ signal }) => loadMessages(threadId, signal),
  });
  const answer = answerIn(messages.data ?? [], runId);
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-4">
      <header className="flex flex-wrap items-center gap-x-3">
        <h4 className="text-sm font-semibold">{title}</h4>
        <Status word={statusOfRun(run)} />
        <span className="ml-auto">{children}</span>
      </header>
      {answer === "" ? (
        <p className="text-sm text-faint">{run.status === "done" ? "It ended without an answer." : "…"}</p>
      ) : (
        <Markdown text={answer} />
      )}
      <p className="mt-auto flex flex-wrap gap-x-3 pt-1 text-xs text-faint tabular-nums">
        <span>{formatDuration(updated_at - run.created_at)}</span>
        <span>{formatCount((run.input_tokens ?? 0) + (run.output_tokens ?? 0))} tokens</span>
        <span>{formatCost(run.cost_microcents ?? 0)}</span>
      </p>
    </section>
  );
}

/** The last thing that a run said. */
function answerIn(messages: readonly Message[], runId: string): string {
  const own = messages.filter(({ role, metadata }) => role === "assistant" && fieldsOf(metadata).run_id === runId);
  const texts = own.map(({ content }) =>
    typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join(""),
  );
  return texts.findLast((text) => text !== "") ?? "";
}
