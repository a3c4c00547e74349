import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { answerOf, client } from "../../api/requests.ts";
import type { AgentPart } from "../../api/types.ts";
import { JsonTree } from "../../components/json-tree.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";

const KINDS: Readonly<Record<string, readonly [title: string, icon: IconName]>> = {
  mcp_server: ["MCP servers", "link"],
  skill: ["Skills", "spark"],
};

/** What the plugins of an agent bring to it beside tools: MCP servers, skills, with how each is doing. Nothing when there is nothing. */
export function AgentParts({ agentId }: { readonly agentId: string }): ReactNode {
  const parts = useQuery({
    queryKey: ["agent-parts", agentId],
    queryFn: async ({ signal }) =>
      (await answerOf(client.GET("/v1/agents/{id}/parts", { params: { path: { id: agentId } }, signal }))).items,
    refetchInterval: 5_000,
  });
  if (parts.error !== null) return <ErrorNote error={parts.error} retry={() => void parts.refetch()} />;
  const kinds = Map.groupBy(parts.data ?? [], ({ kind }) => kind);
  return [...kinds].map(([kind, own]) => {
    const [title, icon] = KINDS[kind] ?? [kind.replaceAll("_", " "), "dot"];
    return (
      <section key={kind} aria-label={title} className="flex flex-col gap-2">
        <h3 className="font-semibold">{title}</h3>
        <ul className="divide-y divide-line rounded-lg border border-line">
          {own.map((part) => (
            <Part key={part.name} part={part} icon={icon} />
          ))}
        </ul>
      </section>
    );
  });
}

function Part({ part, icon }: { readonly part: AgentPart; readonly icon: IconName }): ReactNode {
  const { name, state, message, details } = part;
  const word = state.replaceAll("_", " ");
  return (
    <li>
      <details>
        <summary className="flex flex-wrap items-center gap-x-2 gap-y-0.5 px-3 py-2 hover:bg-hover">
          <Icon name={icon} size={14} className="text-faint" />
          <span className="text-sm font-semibold">{name}</span>
          <span className="min-w-40 flex-1 truncate text-sm text-faint">{message}</span>
          <Status word={word}>{state === "idle" ? "not needed yet" : word}</Status>
        </summary>
        <div className="flex flex-col gap-2 border-t border-line px-3 py-3">
          {message !== undefined && <p className="text-sm break-words">{message}</p>}
          {details !== undefined && <JsonTree value={details} label={`Details of ${name}`} open={2} />}
        </div>
      </details>
    </li>
  );
}
