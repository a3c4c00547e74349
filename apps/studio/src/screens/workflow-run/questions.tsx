import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ask, randomId } from "../../api/connection.ts";
import { queryClient } from "../../api/queries.ts";
import { answerOf, client } from "../../api/requests.ts";
import type { OpenDecision, WorkflowNode, WorkflowRun } from "../../api/types.ts";
import { Countdown, DecisionCard } from "../../components/decision-card.tsx";
import { explainQuestion } from "../../log/explain-question.ts";
import { listPlaces, placeOf } from "../../log/fold-nodes.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { messageOf } from "../../parts/notice.tsx";
import type { Verb } from "../../session/thread-session.ts";

type Question = NonNullable<WorkflowRun["questions"]>[number];

interface QuestionsProps {
  readonly run: WorkflowRun;
  readonly graph: readonly WorkflowNode[];
  readonly select: (place: string) => void;
}

/** What a run asks people, answered right here, and the events that it waits for. */
export function Questions({ run, graph, select }: QuestionsProps): ReactNode {
  const { run_id: runId, questions = [] } = run;
  const decisions = useQuery({
    queryKey: ["decisions", runId],
    queryFn: async ({ signal }) =>
      (await answerOf(client.GET("/v1/decisions", { params: { query: { run_id: runId, limit: 200 } }, signal }))).items,
    enabled: questions.length > 0,
  });
  if (questions.length === 0) return null;
  const names = new Map(listPlaces(graph).map(({ place, node }) => [place, node.name ?? node.id]));
  return (
    <section
      aria-label="Open questions"
      className="max-h-[45dvh] shrink-0 overflow-y-auto border-b border-line bg-side"
    >
      <ul className="flex flex-col gap-3 p-3">
        {questions.map((question) => {
          const { call_id, node_id, action, assignee, expires_at } = question;
          const name = node_id === undefined ? "The run" : (names.get(placeOf(node_id)) ?? node_id);
          const decision = decisions.data?.find(({ id }) => id === call_id);
          return (
            <li key={call_id} className="rounded-lg border border-wait-line bg-wait-ground p-3">
              <header className="mb-1.5 flex flex-wrap items-center gap-x-3 gap-y-1">
                <button
                  type="button"
                  onClick={() => node_id !== undefined && select(placeOf(node_id))}
                  className="flex items-center gap-1.5 font-semibold hover:underline"
                >
                  <Icon name={action.startsWith("event:") ? "clock" : "hand"} size={14} className="text-wait" />
                  {name}
                </button>
                {assignee !== undefined && (
                  <span className="flex items-center gap-1 text-sm text-faint">
                    <Icon name="person" size={13} />
                    {assignee}
                  </span>
                )}
              </header>
              {action.startsWith("event:") ? (
                <SendEvent runId={runId} name={action.slice("event:".length)} expiresAt={expires_at} />
              ) : decision === undefined ? (
                <p className="text-sm text-faint">{question.message}</p>
              ) : (
                <Gate decision={decision} question={question} name={name} />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The same card as in the inbox. */
function Gate({
  decision,
  question,
  name,
}: {
  readonly decision: OpenDecision;
  readonly question: Question;
  readonly name: string;
}): ReactNode {
  const { id, binding_hash, suspension, run_id, expires_at } = decision;
  const decide = async (verb: Verb): Promise<void> => {
    const json = { ...verb, binding_hash, suspension, run_id, decision_id: randomId() };
    await ask(`v1/decisions/${encodeURIComponent(id)}`, { json });
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ["workflow-run", run_id] }),
      queryClient.invalidateQueries({ queryKey: ["decisions"] }),
    ]);
  };
  const { action, message, response_schema } = question;
  return (
    <DecisionCard
      key={`${id} ${suspension}`}
      tool={name}
      explained={explainQuestion({
        tool: name,
        action,
        ...(message !== undefined && { message }),
        parameters: decision.ticket?.suspension.parameters,
        resumeMode: "use_decision_as_tool_result",
      })}
      arguments={decision.arguments}
      schema={response_schema}
      expiresAt={expires_at}
      decide={decide}
    />
  );
}

function SendEvent({
  runId,
  name,
  expiresAt,
}: {
  readonly runId: string;
  readonly name: string;
  readonly expiresAt: number | undefined;
}): ReactNode {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    setProblem("");
    setSending(true);
    try {
      const json = text.trim() === "" ? {} : { payload: JSON.parse(text) };
      await ask(`v1/workflow-runs/${encodeURIComponent(runId)}/events/${encodeURIComponent(name)}`, { json });
      await queryClient.invalidateQueries({ queryKey: ["workflow-run", runId] });
    } catch (error) {
      setProblem(error instanceof SyntaxError ? `The payload must be JSON. ${error.message}` : messageOf(error));
      setSending(false);
    }
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p className="flex flex-wrap items-baseline gap-x-3 text-sm">
        <span className="flex-1">
          Waits for the event <code className="font-mono font-medium">{name}</code>.
        </span>
        {expiresAt !== undefined && <Countdown until={expiresAt} />}
      </p>
      <p role="alert" className="text-bad empty:hidden">
        {problem}
      </p>
      <div className="flex flex-wrap gap-2">
        <input
          aria-label={`Payload of ${name}`}
          placeholder="Payload as JSON, if any"
          value={text}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
          className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-ground px-2 font-mono text-xs"
        />
        <Button type="submit" disabled={isSending}>
          Send the event
        </Button>
      </div>
    </form>
  );
}
