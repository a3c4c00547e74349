import { lazy, memo, type ReactNode, Suspense, useState } from "react";
import { baseAgent } from "../log/base-agent.ts";
import type { Block, ChildRun, RunView, ShownCall, ShownFile } from "../log/block.ts";
import { readAction } from "../log/read-surface.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { classNames } from "../parts/class-names.ts";
import { Icon } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Status } from "../parts/status.tsx";
import type { Verb } from "../session/thread-session.ts";
import { Attachment } from "./attachment.tsx";
import { ToolCard } from "./tool-card.tsx";

const Surface = lazy(async () => ({ default: (await import("./surface.tsx")).Surface }));

/** What a person can do in a conversation. Without it the conversation is only shown. */
export interface ConversationActions {
  decide(call: ShownCall, verb: Verb): Promise<void>;
  retry(runId: string, agentId: string): void;
  edit(runId: string, agentId: string, said: { readonly text: string; readonly files: readonly ShownFile[] }): void;
  /** Sends what a person did on a surface. */
  act(agentId: string, text: string): void;
  leave(): void;
}

interface ConversationProps {
  readonly views: readonly RunView[];
  readonly actions?: ConversationActions | undefined;
  /** The version that is shown; what came later is dimmed. */
  readonly at?: number | undefined;
  /** Opens the moment of a block. */
  readonly select?: ((version: number) => void) | undefined;
  readonly agentNames?: ReadonlyMap<string, string>;
}

/** What was said and done, run by run. */
export function Conversation({ views, actions, at, select, agentNames }: ConversationProps): ReactNode {
  const [shown, setShown] = useState(PAGE);
  const hidden = Math.max(0, views.length - shown);
  const newest = newestSurfaces(views, at);
  return (
    <>
      {hidden > 0 && (
        <Button small kind="quiet" className="self-center" onClick={() => setShown(shown + PAGE)}>
          Show earlier messages ({hidden})
        </Button>
      )}
      {views.slice(hidden).map((view, index) => (
        <RunPart
          key={view.runId}
          view={view}
          actions={actions}
          at={at}
          select={select}
          isLast={hidden + index === views.length - 1}
          agentName={agentNames?.get(view.agentId) ?? baseAgent(view.agentId)}
          isNamed={index === 0 || views[hidden + index - 1]?.agentId !== view.agentId}
          surfaces={newest.get(view.runId) ?? NONE}
        />
      ))}
    </>
  );
}

/** How many runs of a thread are drawn at first. */
const PAGE = 40;
const NONE = "";

/** The blocks that show the newest form of each surface at the cursor, by run. Later forms replace earlier ones. */
function newestSurfaces(views: readonly RunView[], at: number = Number.POSITIVE_INFINITY): ReadonlyMap<string, string> {
  const newest = new Map<string, readonly [runId: string, key: string]>();
  for (const { runId, blocks } of views)
    for (const block of blocks)
      if (block.kind === "surface" && (block.version ?? 0) <= at) newest.set(block.surfaceId, [runId, block.key]);
  const keys = new Map<string, string>();
  // One text for each run: it stays the same, and so what was drawn of the run does.
  for (const [runId, key] of newest.values()) keys.set(runId, `${keys.get(runId) ?? ""} ${key} `);
  return keys;
}

const RunPart = memo(function RunPart({
  view,
  actions,
  at,
  select,
  isLast,
  agentName,
  isNamed,
  surfaces,
}: {
  readonly surfaces: string;
  readonly view: RunView;
  readonly actions: ConversationActions | undefined;
  readonly at: number | undefined;
  readonly select: ((version: number) => void) | undefined;
  readonly isLast: boolean;
  readonly agentName: string;
  readonly isNamed: boolean;
}): ReactNode {
  const isWorking = view.status === "working";
  const now = at ?? Number.POSITIVE_INFINITY;
  const blocks = view.blocks.filter(
    ({ until, ...block }) =>
      (until === undefined || until > now) && (block.kind !== "surface" || surfaces.includes(` ${block.key} `)),
  );
  if (blocks.length === 0 && !isWorking) return null;
  const first = blocks.findIndex(({ kind }) => kind !== "user");
  return (
    <section aria-label={`Run of ${agentName}`} aria-busy={isWorking} className="flex flex-col gap-3">
      {blocks.map((block, index) => (
        <div
          key={block.key}
          data-version={block.version}
          className={classNames("flex flex-col gap-1", block.version !== undefined && block.version > now && "later")}
        >
          {index === first && isNamed && <Speaker name={agentName} />}
          <BlockPart
            block={block}
            view={view}
            actions={at === undefined ? actions : undefined}
            isWriting={isWorking && index === blocks.length - 1}
            isLast={isLast}
            select={select}
          />
        </div>
      ))}
      {isWorking && blocks.at(-1)?.kind === "user" && <Thinking name={agentName} />}
    </section>
  );
});

function Speaker({ name }: { readonly name: string }): ReactNode {
  return (
    <p className="flex items-center gap-1.5 text-xs font-medium text-faint">
      <Icon name="spark" size={12} />
      {name}
    </p>
  );
}

function Thinking({ name }: { readonly name: string }): ReactNode {
  return (
    <p role="status" className="flex items-center gap-2 text-sm text-faint">
      <span className="size-2 animate-pulse rounded-full bg-accent" />
      {name} is working
    </p>
  );
}

interface BlockPartProps {
  readonly block: Block;
  readonly view: RunView;
  readonly actions: ConversationActions | undefined;
  readonly isWriting: boolean;
  readonly isLast: boolean;
  readonly select: ((version: number) => void) | undefined;
}

const BlockPart = memo(function BlockPart({ block, view, actions, isWriting, isLast }: BlockPartProps): ReactNode {
  switch (block.kind) {
    case "user":
      return <UserMessage block={block} view={view} actions={actions} />;
    case "text":
      return <Markdown text={block.text} isWriting={isWriting} className="said assistant" />;
    case "reasoning":
      return (
        <details className="rounded-lg border border-line" open={isWriting}>
          <summary className="flex items-center gap-1.5 px-3 py-1.5 text-sm text-faint hover:bg-hover">
            <Icon name="chevron" size={12} />
            Thinking
          </summary>
          <div className="border-t border-line px-3 py-2 text-sm whitespace-pre-wrap text-faint">{block.text}</div>
        </details>
      );
    case "file":
      return <Attachment file={block.file} />;
    case "call":
      return (
        <ToolCard call={block.call} decide={actions?.decide} leave={actions?.leave}>
          {block.call.child !== undefined && <SubAgent child={block.call.child} />}
        </ToolCard>
      );
    case "note":
      return <p className="notice text-sm text-faint">{block.text}</p>;
    case "failure":
      return (
        <div role="alert" className="failure flex items-start gap-3 rounded-lg bg-bad-ground px-3 py-2.5 text-bad">
          <Icon name="warning" className="mt-0.5" />
          <p className="min-w-0 flex-1 break-words">{block.text}</p>
          {isLast && actions !== undefined && (
            <Button small icon="retry" onClick={() => actions.retry(view.runId, view.agentId)}>
              Retry
            </Button>
          )}
        </div>
      );
    case "surface":
      return (
        <Suspense>
          <Surface
            surfaceId={block.surfaceId}
            operations={block.operations}
            send={actions === undefined ? undefined : (text) => actions.act(view.agentId, text)}
          />
        </Suspense>
      );
    default:
      return block satisfies never;
  }
});

function UserMessage({
  block,
  view,
  actions,
}: {
  readonly block: Block & { kind: "user" };
  readonly view: RunView;
  readonly actions: ConversationActions | undefined;
}): ReactNode {
  const action = readAction(block.text);
  const canEdit = actions !== undefined && action === undefined && block.messageId !== "" && view.status !== "working";
  return (
    <div className="group flex flex-row-reverse items-start gap-1">
      <div className="flex max-w-[85%] flex-col items-end gap-1.5">
        {action !== undefined && (
          <p className="flex items-center gap-1.5 text-sm text-faint" title={JSON.stringify(action.context)}>
            <Icon name="bolt" size={13} />
            You pressed <span className="font-medium text-ink">{action.name}</span>
          </p>
        )}
        {block.text !== "" && action === undefined && (
          <p className="said user rounded-lg bg-accent-ground px-3 py-2 break-words whitespace-pre-wrap">
            {block.text}
          </p>
        )}
        {block.files.map((file: ShownFile) => (
          <Attachment key={file.url} file={file} />
        ))}
      </div>
      {canEdit && (
        <span className="flex opacity-0 group-hover:opacity-100 focus-within:opacity-100">
          <IconButton
            icon="edit"
            label="Edit and resend"
            onClick={() => actions.edit(view.runId, view.agentId, { text: block.text, files: block.files })}
          />
          <IconButton icon="retry" label="Answer again" onClick={() => actions.retry(view.runId, view.agentId)} />
        </span>
      )}
    </div>
  );
}

/** What another agent does for a call: its own conversation, in a card. */
function SubAgent({ child }: { readonly child: ChildRun }): ReactNode {
  const [toggled, setToggled] = useState<boolean>();
  const isOpen = toggled ?? child.status === "running";
  return (
    <details className="border-t border-line" open={isOpen} onToggle={(event) => setToggled(event.currentTarget.open)}>
      <summary className="flex items-center gap-2 px-3 py-1.5 text-sm hover:bg-hover">
        <Icon name="chevron" size={12} className="text-faint" />
        <span className="font-medium">{child.agentId}</span>
        <span className="text-faint">{child.background ? "works in the background" : "works on it"}</span>
        <span className="ml-auto">
          <Status word={child.status} />
        </span>
      </summary>
      <div
        className="flex flex-col gap-2.5 border-t border-line bg-side px-3 py-2.5"
        role="group"
        aria-label={`What ${child.agentId} did`}
      >
        {(isOpen ? child.blocks : []).map((block) => (
          <ChildBlock key={block.key} block={block} />
        ))}
      </div>
    </details>
  );
}

function ChildBlock({ block }: { readonly block: Block }): ReactNode {
  if (block.kind === "text") return <Markdown text={block.text} />;
  if (block.kind === "call")
    return (
      <ToolCard call={block.call}>{block.call.child !== undefined && <SubAgent child={block.call.child} />}</ToolCard>
    );
  if (block.kind === "note" || block.kind === "failure") return <p className="text-sm text-faint">{block.text}</p>;
  return null;
}
