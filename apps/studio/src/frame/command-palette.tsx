import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useAgents, useDecisions, useThreads, useWorkflows } from "../api/queries.ts";
import { useRunPages } from "../api/use-pages.ts";
import { baseAgent } from "../log/base-agent.ts";
import { statusOfRun } from "../log/fold-messages.ts";
import { classNames } from "../parts/class-names.ts";
import { formatTime } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";

interface Entry {
  readonly id: string;
  readonly icon: IconName;
  readonly text: string;
  readonly about: string;
  readonly run: () => void;
}

const EVERY_RUN = {};

/** Everything by its name: screens, open questions, agents, workflows, threads, and the newest runs. */
export function CommandPalette({
  close,
  turnTheme,
}: {
  readonly close: () => void;
  readonly turnTheme: () => void;
}): ReactNode {
  const navigate = useNavigate();
  const threads = useThreads(200);
  const decisions = useDecisions();
  const workflows = useWorkflows();
  const agents = useAgents();
  const runs = useRunPages(EVERY_RUN, false);
  const dialog = useRef<HTMLDialogElement>(null);
  const [word, setWord] = useState("");
  const [index, setIndex] = useState(0);
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  const go =
    (to: string, params: Readonly<Record<string, string>> = {}): (() => void) =>
    () =>
      void navigate({ to, params });
  const screens: readonly Entry[] = [
    { id: "new", icon: "plus", text: "New thread", about: "Chat", run: go("/") },
    { id: "inbox", icon: "inbox", text: "Inbox", about: "Screen", run: go("/inbox") },
    { id: "runs", icon: "runs", text: "Runs", about: "Screen", run: go("/runs") },
    { id: "agents", icon: "agents", text: "Agents", about: "Screen", run: go("/agents") },
    { id: "workflows", icon: "flow", text: "Workflows", about: "Screen", run: go("/workflows") },
    { id: "evals", icon: "evals", text: "Evaluations", about: "Screen", run: go("/evals") },
    { id: "ops", icon: "ops", text: "Operations", about: "Screen", run: go("/ops") },
    { id: "theme", icon: "moon", text: "Turn the theme", about: "Light or dark", run: turnTheme },
  ];
  const titles = new Map((threads.data ?? []).map(({ thread_id, title }) => [thread_id, title]));
  const all: readonly Entry[] = [
    ...screens,
    ...(decisions.data ?? []).map(({ id, tool_id, thread_id }) => ({
      id,
      icon: "hand" as const,
      text: `${tool_id} needs approval`,
      about: thread_id,
      run: go("/inbox/$callId", { callId: id }),
    })),
    ...(workflows.data ?? []).map(({ id, name }) => ({
      id: `workflow ${id}`,
      icon: "flow" as const,
      text: name,
      about: "Workflow",
      run: go("/workflows/$workflowId", { workflowId: id }),
    })),
    ...(agents.data ?? [])
      .filter(({ id }) => !workflows.data?.some((workflow) => workflow.id === id))
      .map(({ id, name }) => ({
        id: `agent ${id}`,
        icon: "agents" as const,
        text: name,
        about: "Agent",
        run: go("/agents/$agentId", { agentId: id }),
      })),
    ...(threads.data ?? []).map(({ thread_id, title, last_run }) => ({
      id: thread_id,
      icon: "chat" as const,
      text: title || "Untitled",
      about: last_run?.agent_id ?? "",
      run: go("/threads/$threadId", { threadId: thread_id }),
    })),
    ...(runs.items ?? []).map((run) => ({
      id: `run ${run.run_id}`,
      icon: "runs" as const,
      text: `Run of ${baseAgent(run.agent_id)}, ${formatTime(run.created_at, true)}`,
      about: `${statusOfRun(run)} · ${titles.get(run.thread_id) || run.thread_id}`,
      run: go("/runs/$runId", { runId: run.run_id }),
    })),
  ];
  const wanted = word.trim().toLowerCase();
  const shown = all
    .filter(({ text, about, id }) => `${text} ${about} ${id}`.toLowerCase().includes(wanted))
    .slice(0, 40);
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    close();
    entry.run();
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Go to"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
      className="pop-in mx-auto mt-[12dvh] max-h-[70dvh] w-[calc(100vw-32px)] max-w-lg overflow-hidden rounded-lg border border-line bg-ground p-0 text-ink shadow-pop"
    >
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Icon name="search" className="text-faint" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="entries"
          aria-activedescendant={shown[index] === undefined ? undefined : `entry-${index}`}
          aria-label="Go to"
          placeholder="Threads, runs, agents, questions, screens"
          value={word}
          onChange={(event) => {
            setWord(event.target.value);
            setIndex(0);
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") setIndex(Math.min(index + 1, shown.length - 1));
            else if (event.key === "ArrowUp") setIndex(Math.max(index - 1, 0));
            else if (event.key === "Enter") choose(shown[index]);
            else return;
            event.preventDefault();
          }}
          className="h-11 min-w-0 flex-1 bg-transparent outline-none"
        />
      </div>
      <div id="entries" role="listbox" aria-label="Found" className="max-h-[55dvh] overflow-y-auto p-1">
        {shown.map((entry, at) => (
          <div
            key={entry.id}
            id={`entry-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === index}
            onClick={() => choose(entry)}
            onPointerMove={() => setIndex(at)}
            className={classNames(
              "flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5",
              at === index && "bg-hover",
            )}
          >
            <Icon name={entry.icon} size={14} className="text-faint" />
            <span className="min-w-0 flex-1 truncate">{entry.text}</span>
            <span className="max-w-40 truncate text-xs text-faint">{entry.about}</span>
          </div>
        ))}
        {shown.length === 0 && <p className="p-3 text-faint">Nothing has this name.</p>}
      </div>
    </dialog>
  );
}
