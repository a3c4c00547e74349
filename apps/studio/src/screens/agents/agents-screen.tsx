import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ask } from "../../api/connection.ts";
import { useAgents, useWorkflows } from "../../api/queries.ts";
import type { Agent } from "../../api/types.ts";
import { JsonTree } from "../../components/json-tree.tsx";
import { exampleOf } from "../../log/example-of.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { formatDuration, pretty } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Empty, ErrorNote, ScreenError, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { useMedia } from "../../parts/use-media.ts";
import { AgentParts } from "./agent-parts.tsx";
import { Playground } from "./playground.tsx";

type Tool = Agent["tools"][number];

/** The agents as they were resolved: what each can do after filters and plugins, and what looks wrong. */
export function AgentsScreen(): ReactNode {
  const { agentId } = useParams({ strict: false });
  const navigate = useNavigate();
  const agents = useAgents();
  const isWide = useMedia("(min-width: 768px)");
  if (agents.error !== null)
    return (
      <ScreenError
        icon="agents"
        missing="This server shows no agents"
        error={agents.error}
        retry={() => void agents.refetch()}
      />
    );
  if (agents.data === undefined) return <Skeleton />;
  const shown =
    agents.data.find(({ id }) => id === agentId) ?? (isWide && agentId === undefined ? agents.data[0] : undefined);
  if (agents.data.length === 0)
    return (
      <Empty icon="agents" title="No agents">
        Define one with <code className="font-mono">defineAgent</code> or in the configuration.
      </Empty>
    );
  return (
    <main className="flex h-full min-h-0">
      {!isWide && shown !== undefined && <h1 className="sr-only">Agents</h1>}
      {(isWide || shown === undefined) && (
        <nav
          aria-label="Agents"
          className="min-h-0 shrink-0 overflow-y-auto border-line max-md:w-full md:w-64 md:border-r"
        >
          <h1 className="px-4 py-3 font-semibold">Agents</h1>
          <ul>
            {agents.data.map(({ id, name, description, warnings }) => (
              <li key={id}>
                <button
                  type="button"
                  aria-current={id === shown?.id}
                  onClick={() => void navigate({ to: "/agents/$agentId", params: { agentId: id }, replace: true })}
                  className={classNames(
                    "flex w-full flex-col px-4 py-2 text-left hover:bg-hover",
                    id === shown?.id && "bg-hover",
                  )}
                >
                  <span className="flex items-center gap-2 font-medium">
                    {name}
                    {warnings.length > 0 && <Icon name="warning" size={13} className="text-wait" />}
                  </span>
                  <span className="line-clamp-2 text-xs text-faint">{description}</span>
                </button>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {shown === undefined ? (
        agentId !== undefined && (
          <Empty icon="agents" title={`There is no agent ${agentId}`}>
            It may run in another process, or its name has changed.
          </Empty>
        )
      ) : (
        <AgentPage key={shown.id} agent={shown} back={isWide ? undefined : () => void navigate({ to: "/agents" })} />
      )}
    </main>
  );
}

function AgentPage({ agent, back }: { readonly agent: Agent; readonly back: (() => void) | undefined }): ReactNode {
  const { name, id, description, model, route, plugins, tools, inventory, warnings, endpoint } = agent;
  const workflows = useWorkflows();
  const isWorkflow = workflows.data?.some((workflow) => workflow.id === id) ?? false;
  return (
    <section aria-label={name} tabIndex={0} className="min-h-0 min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-6 p-5">
        <header className="flex flex-col gap-1">
          <div className="flex items-center gap-3">
            {back !== undefined && (
              <Button small onClick={back}>
                All agents
              </Button>
            )}
            <h2 className="text-xl font-semibold">{name}</h2>
            <code className="font-mono text-sm text-faint">{id}</code>
          </div>
          <p className="text-faint">{description}</p>
          {isWorkflow && (
            <Link to="/workflows/$workflowId" params={{ workflowId: id }} className="self-start text-accent underline">
              This agent is a workflow: open its graph
            </Link>
          )}
        </header>
        {warnings.length > 0 && (
          <ul aria-label="Warnings" className="flex flex-col gap-2">
            {warnings.map(({ kind, subject, message }) => (
              <li key={`${kind} ${subject}`} className="flex gap-2 rounded-lg bg-wait-ground px-3 py-2 text-wait">
                <Icon name="warning" className="mt-0.5" />
                {message}
              </li>
            ))}
          </ul>
        )}
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
          <dt className="text-faint">Model</dt>
          <dd className="font-mono text-sm">{model ?? "–"}</dd>
          <dt className="text-faint">Route</dt>
          <dd>
            <ol className="flex flex-wrap gap-x-2 font-mono text-sm">
              {route.map((each, index) => (
                <li key={`${each.provider}/${each.model}`}>
                  {index > 0 && <span className="text-faint">then </span>}
                  {each.model.startsWith(`${each.provider}/`) ? each.model : `${each.provider}/${each.model}`}{" "}
                  <span className="text-faint">×{each.max_attempts}</span>
                </li>
              ))}
            </ol>
          </dd>
          <dt className="text-faint">Plugins</dt>
          <dd>{plugins.length === 0 ? "none" : plugins.join(", ")}</dd>
          {endpoint !== undefined && (
            <>
              <dt className="text-faint">Runs at</dt>
              <dd className="font-mono text-sm break-all">{endpoint.url}</dd>
            </>
          )}
        </dl>
        <AgentParts agentId={id} />
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">{tools.length === 1 ? "1 tool" : `${tools.length} tools`}</h3>
          {tools.length === 0 && <p className="text-faint">This agent only talks.</p>}
          {tools.map((tool) => (
            <ToolRow
              key={tool.id}
              agentId={id}
              tool={tool}
              policy={inventory.find(({ tool_name }) => tool_name === tool.id)?.policy}
            />
          ))}
        </section>
        {model !== undefined && <Playground agent={agent} />}
      </div>
    </section>
  );
}

const POLICIES: Readonly<Record<string, string>> = {
  allowed: "runs at once",
  ask: "needs approval",
  ask_by_arguments: "needs approval for some arguments",
};

interface Answer {
  readonly text: string;
  readonly word: string;
  readonly data?: unknown;
}

function ToolRow({
  agentId,
  tool,
  policy,
}: {
  readonly agentId: string;
  readonly tool: Tool;
  readonly policy: string | undefined;
}): ReactNode {
  const [text, setText] = useState(() => pretty(exampleOf(tool.parameters)));
  const [answer, setAnswer] = useState<Answer>();
  const [problem, setProblem] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const navigate = useNavigate();
  const attempt = async (task: (input: unknown) => Promise<Answer | undefined>): Promise<void> => {
    setProblem(undefined);
    setAnswer(undefined);
    setSending(true);
    try {
      setAnswer(await task(JSON.parse(text)));
    } catch (error) {
      setProblem(error instanceof SyntaxError ? new Error(`The arguments must be JSON. ${error.message}`) : error);
    } finally {
      setSending(false);
    }
  };
  const preview = async (input: unknown): Promise<Answer> => {
    const response = await ask("v1/permissions/preview", { json: { agentId, toolId: tool.id, arguments: input } });
    const { decision, reason, source } = await response.json();
    const words = { allow: "It would run at once", ask: "It would need approval", deny: "It would be refused" };
    const word = { allow: "done", ask: "needs approval", deny: "denied" };
    const said = decision as keyof typeof words;
    return { text: `${words[said]}: ${reason ?? `says the ${source}`}.`, word: word[said] };
  };
  const run = async (input: unknown): Promise<Answer | undefined> => {
    const path = `v1/agents/${encodeURIComponent(agentId)}/tools/${encodeURIComponent(tool.id)}/run`;
    const started = performance.now();
    const { status, result, run_id } = await (await ask(path, { json: { arguments: input } })).json();
    if (status !== "done") {
      await navigate({ to: "/runs/$runId", params: { runId: run_id } });
      return undefined;
    }
    const isGood = result?.status !== "error";
    const took = formatDuration(performance.now() - started);
    return { text: `${isGood ? "Done" : "Failed"} in ${took}.`, word: isGood ? "done" : "failed", data: result?.data };
  };
  return (
    <details className="rounded-lg border border-line">
      <summary className="flex items-center gap-2 px-3 py-2 hover:bg-hover">
        <Icon name="tool" size={14} className="text-faint" />
        <span className="font-mono text-sm font-semibold">{tool.id}</span>
        <span className="min-w-0 flex-1 truncate text-sm text-faint">{tool.description}</span>
        <span className="text-xs whitespace-nowrap text-faint">
          {tool.class === "read_only" ? "reads" : "changes"} · {POLICIES[policy ?? ""] ?? policy}
        </span>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line px-3 py-3">
        <p className="text-sm">{tool.description}</p>
        <JsonTree value={tool.parameters} label={`Arguments that ${tool.id} takes`} open={1} />
        <label className="flex flex-col gap-1 text-sm text-faint">
          Arguments
          <textarea
            value={text}
            onChange={(event) => setText(event.target.value)}
            spellCheck={false}
            rows={Math.min(8, text.split("\n").length + 1)}
            className="rounded-md border border-line-strong bg-ground p-2 font-mono text-xs leading-5 text-ink"
          />
        </label>
        <div className="flex gap-2">
          <Button small icon="shield" disabled={isSending} onClick={() => void attempt(preview)}>
            What would happen
          </Button>
          <Button small icon="bolt" disabled={isSending} onClick={() => void attempt(run)}>
            Run by hand
          </Button>
        </div>
        {problem !== undefined && <ErrorNote error={problem} />}
        {answer !== undefined && (
          <div role="status" className="flex flex-col gap-1">
            <Status word={answer.word}>{answer.text}</Status>
            {answer.data !== undefined && <JsonTree value={answer.data} label={`Result of ${tool.id}`} />}
          </div>
        )}
      </div>
    </details>
  );
}
