import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { ask, readError, ServerError, send } from "../../api/connection.ts";
import type { ConfigChange, ConfigEntry } from "../../api/types.ts";
import { LineDiff } from "../../components/line-diff.tsx";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { formatTime, pretty } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Empty, ErrorNote, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { useMedia } from "../../parts/use-media.ts";

const KINDS = ["agents", "models", "providers"] as const;
type Kind = (typeof KINDS)[number];

const ONE: Readonly<Record<Kind, string>> = { agents: "agent", models: "model", providers: "provider" };
const NEW: Readonly<Record<Kind, unknown>> = {
  agents: { model: "", system_prompt: "" },
  models: { provider: "", model: "" },
  providers: { adapter_kind: "openai", auth: { kind: "env", name: "" } },
};

interface Problem {
  readonly path: string;
  readonly message: string;
}

interface Shown {
  readonly kind: Kind;
  readonly id: string;
}

/** The configuration of the running server: read, changed, checked before it is stored, with what it was before. */
export function ConfigPart(): ReactNode {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const isWide = useMedia("(min-width: 768px)");
  const config = useQuery({
    queryKey: ["config"],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        KINDS.map(async (kind): Promise<readonly ConfigEntry[]> => {
          const { items } = await (await ask(`v1/config/${kind}`, { signal })).json();
          return items;
        }),
      );
      return new Map(KINDS.map((kind, index) => [kind, lists[index] ?? []]));
    },
    refetchInterval: 10_000,
  });
  const [isAdding, setAdding] = useState<Kind>();
  if (config.error instanceof ServerError && config.error.status === 404)
    return (
      <Empty icon="shield" title="The configuration is fixed">
        This server was made without a live configuration, so its agents change with its code. Give{" "}
        <code className="font-mono">createServer</code> one with <code className="font-mono">openLiveConfig</code>.
      </Empty>
    );
  if (config.error !== null && config.data === undefined)
    return (
      <div className="p-4">
        <ErrorNote error={config.error} retry={() => void config.refetch()} />
      </div>
    );
  if (config.data === undefined) return <Skeleton />;
  const wanted = KINDS.find((kind) => kind === search.kind);
  const first = KINDS.flatMap((kind) => (config.data.get(kind) ?? []).map(({ id }) => ({ kind, id })))[0];
  const chosen: Shown | undefined =
    wanted !== undefined && search.id !== undefined ? { kind: wanted, id: search.id } : isWide ? first : undefined;
  const entry = chosen && config.data.get(chosen.kind)?.find(({ id }) => id === chosen.id);
  const show = (next: Shown | undefined): void => {
    setAdding(undefined);
    void navigate({ to: "/ops/$part", params: { part: "config" }, search: next ?? {}, replace: true });
  };
  const isListShown = isWide || (chosen === undefined && isAdding === undefined);
  return (
    <div className="flex min-h-0 flex-1">
      {isListShown && (
        <nav
          aria-label="Entries"
          className="min-h-0 shrink-0 overflow-y-auto border-line py-2 max-md:w-full md:w-64 md:border-r"
        >
          {KINDS.map((kind) => (
            <section key={kind} aria-label={kind}>
              <header className="flex items-center justify-between px-4 py-1">
                <h2 className="text-xs font-semibold text-faint capitalize">{kind}</h2>
                <Button
                  small
                  kind="quiet"
                  icon="plus"
                  aria-label={`New ${ONE[kind]}`}
                  onClick={() => setAdding(kind)}
                />
              </header>
              <ul className="pb-2">
                {(config.data.get(kind) ?? []).map(({ id, source, problems }) => {
                  const isShown = isAdding === undefined && chosen?.kind === kind && chosen.id === id;
                  return (
                    <li key={id}>
                      <button
                        type="button"
                        aria-current={isShown}
                        onClick={() => show({ kind, id })}
                        className={classNames(
                          "flex w-full items-center gap-2 px-4 py-1.5 text-left text-sm hover:bg-hover",
                          isShown && "bg-hover",
                        )}
                      >
                        <span className="min-w-0 flex-1 truncate">{id}</span>
                        {problems !== undefined && <Icon name="warning" size={13} className="text-bad" />}
                        <span className="text-xs text-faint">{source === "file" ? "file" : "changed"}</span>
                      </button>
                    </li>
                  );
                })}
                {config.data.get(kind)?.length === 0 && <li className="px-4 py-1 text-sm text-faint">none</li>}
              </ul>
            </section>
          ))}
        </nav>
      )}
      {isAdding !== undefined ? (
        <Editor
          key={`new ${isAdding}`}
          kind={isAdding}
          entry={undefined}
          show={show}
          back={isWide ? undefined : () => show(undefined)}
        />
      ) : chosen !== undefined && entry !== undefined ? (
        <Editor
          key={`${chosen.kind} ${chosen.id} ${entry.revision}`}
          kind={chosen.kind}
          entry={entry}
          show={show}
          back={isWide ? undefined : () => show(undefined)}
        />
      ) : (
        chosen !== undefined && (
          <div className="flex-1">
            <Empty
              icon="search"
              title={`There is no ${ONE[chosen.kind]} ${chosen.id}`}
              action={<Button onClick={() => show(undefined)}>All entries</Button>}
            >
              It was taken away, or its name has changed.
            </Empty>
          </div>
        )
      )}
    </div>
  );
}

interface EditorProps {
  readonly kind: Kind;
  /** Undefined for one that is new. */
  readonly entry: ConfigEntry | undefined;
  readonly show: (entry: Shown) => void;
  readonly back: (() => void) | undefined;
}

/** An entry as JSON. The server checks it as a part of the whole; nothing is stored as long as anything is wrong. */
function Editor({ kind, entry, show, back }: EditorProps): ReactNode {
  const queries = useQueryClient();
  const before = entry?.body ?? NEW[kind];
  const [id, setId] = useState(entry?.id ?? "");
  const [text, setText] = useState(() => pretty(before));
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [problem, setProblem] = useState<unknown>();
  const [said, setSaid] = useState("");
  const [isSending, setSending] = useState(false);
  const field = useId();
  const edited = readJson(text);
  const isChanged = edited.problem === undefined && pretty(edited.json) !== pretty(before);
  const path = `v1/config/${kind}/${encodeURIComponent(id)}`;
  const attempt = async (task: () => Promise<string>): Promise<void> => {
    setProblem(undefined);
    setProblems([]);
    setSaid("");
    setSending(true);
    try {
      setSaid(await task());
    } catch (error) {
      setProblem(error);
    } finally {
      setSending(false);
    }
  };
  const refresh = async (): Promise<void> => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["config"] }),
      queries.invalidateQueries({ queryKey: ["config-history", kind, id] }),
      queries.invalidateQueries({ queryKey: ["agents"] }),
    ]);
  };
  const save = async (): Promise<string> => {
    if (id.trim() === "") throw new Error(`Give the ${ONE[kind]} an id.`);
    if (edited.problem !== undefined) throw new Error(`The entry must be JSON. ${edited.problem}`);
    const headers = { "content-type": "application/json", "if-match": `"${entry?.revision ?? 0}"` };
    const response = await send(path, { method: "PUT", headers, body: JSON.stringify(edited.json) });
    const refused = await problemsIn(response);
    if (refused !== undefined) {
      setProblems(refused);
      return "";
    }
    await refresh();
    show({ kind, id });
    return "Stored. It counts from the next run on.";
  };
  const takeBack = async (): Promise<string> => {
    const response = await send(path, { method: "DELETE", headers: { "if-match": `"${entry?.revision ?? 0}"` } });
    const refused = await problemsIn(response);
    if (refused !== undefined) {
      setProblems(refused);
      return "";
    }
    await refresh();
    return "Taken away.";
  };
  return (
    <section
      aria-label={entry === undefined ? `New ${ONE[kind]}` : `${ONE[kind]} ${id}`}
      className="min-h-0 min-w-0 flex-1 overflow-y-auto"
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-4 p-5">
        <header className="flex flex-wrap items-center gap-3">
          {back !== undefined && (
            <Button small onClick={back}>
              All entries
            </Button>
          )}
          {entry === undefined ? (
            <label className="flex items-center gap-2 font-semibold">
              New {ONE[kind]}
              <input
                aria-label={`Id of the new ${ONE[kind]}`}
                placeholder="id"
                value={id}
                onChange={(event) => setId(event.target.value)}
                className="h-8 rounded-md border border-line-strong bg-ground px-2 font-mono text-sm font-normal"
              />
            </label>
          ) : (
            <>
              <h2 className="font-mono text-lg font-semibold break-all">{id}</h2>
              <span className="text-sm text-faint">
                {entry.source === "file" ? "as the file has it" : `changed over the file, revision ${entry.revision}`}
              </span>
            </>
          )}
        </header>
        {entry?.problems !== undefined && (
          <div role="alert" className="rounded-lg bg-bad-ground p-3 text-bad">
            <p className="flex items-center gap-1.5 font-medium">
              <Icon name="warning" size={14} /> It does not count at present.
            </p>
            <ProblemList problems={entry.problems} />
          </div>
        )}
        <div className="flex flex-col gap-1.5">
          <label htmlFor={field} className="text-xs font-semibold text-faint">
            Entry, as JSON
          </label>
          <textarea
            id={field}
            value={text}
            spellCheck={false}
            rows={Math.min(Math.max(text.split("\n").length + 1, 8), 28)}
            onChange={(event) => {
              setText(event.target.value);
              setSaid("");
            }}
            className={classNames(
              "rounded-md border bg-ground p-2.5 font-mono text-xs leading-5",
              edited.problem === undefined ? "border-line-strong" : "border-bad",
            )}
          />
          {edited.problem !== undefined && <p className="text-sm text-bad">Not JSON yet: {edited.problem}</p>}
        </div>
        {isChanged && entry !== undefined && (
          <details className="rounded-lg border border-line">
            <summary className="px-3 py-1.5 text-sm hover:bg-hover">What you change</summary>
            <LineDiff before={before} after={edited.json} label="What you change" />
          </details>
        )}
        {problems.length > 0 && (
          <div role="alert" className="rounded-lg bg-bad-ground p-3 text-bad">
            <p className="font-medium">Nothing was stored.</p>
            <ProblemList problems={problems} />
          </div>
        )}
        {problem !== undefined && <ErrorNote error={problem} dismiss={() => setProblem(undefined)} />}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            kind="primary"
            disabled={isSending || edited.problem !== undefined || (entry !== undefined && !isChanged)}
            onClick={() => void attempt(save)}
          >
            Save
          </Button>
          {isChanged && (
            <Button disabled={isSending} onClick={() => setText(pretty(before))}>
              Discard
            </Button>
          )}
          {entry?.source === "stored" && (
            <Button kind="danger" disabled={isSending} onClick={() => void attempt(takeBack)}>
              Take the change away
            </Button>
          )}
          <p role="status">{said !== "" && <Status word="done">{said}</Status>}</p>
        </div>
        {entry !== undefined && <History kind={kind} id={id} now={before} use={(body) => setText(pretty(body))} />}
      </div>
    </section>
  );
}

function ProblemList({ problems }: { readonly problems: readonly Problem[] }): ReactNode {
  return (
    <ul className="flex flex-col gap-0.5 text-sm">
      {problems.map(({ path, message }) => (
        <li key={`${path} ${message}`} className="break-words">
          {path !== "" && <code className="font-mono text-xs">{path}</code>} {message}
        </li>
      ))}
    </ul>
  );
}

/** What was stored before, and by whom. */
function History({
  kind,
  id,
  now,
  use,
}: {
  readonly kind: Kind;
  readonly id: string;
  readonly now: unknown;
  readonly use: (body: unknown) => void;
}): ReactNode {
  const history = useQuery({
    queryKey: ["config-history", kind, id],
    queryFn: async ({ signal }): Promise<readonly ConfigChange[]> => {
      const { items } = await (await ask(`v1/config/${kind}/${encodeURIComponent(id)}/history`, { signal })).json();
      return items;
    },
  });
  const changes = history.data ?? [];
  return (
    <section aria-label="History" className="flex flex-col gap-2">
      <h3 className="font-semibold">History</h3>
      {history.error !== null ? (
        <ErrorNote error={history.error} />
      ) : history.data === undefined ? (
        <Skeleton rows={2} />
      ) : changes.length === 0 ? (
        <p className="text-sm text-faint">Nothing was changed while the server ran.</p>
      ) : (
        <ol className="divide-y divide-line rounded-lg border border-line">
          {changes.map((change) => (
            <li key={`${change.action} ${change.revision}`}>
              <details>
                <summary className="flex flex-wrap items-center gap-x-3 px-3 py-2 text-sm hover:bg-hover">
                  <Icon name={change.action === "stored" ? "edit" : "trash"} size={13} className="text-faint" />
                  <span className="font-medium">{change.action === "stored" ? "Stored" : "Taken away"}</span>
                  <span className="text-faint">{change.by === undefined ? "" : `by ${change.by}`}</span>
                  <span className="ml-auto text-xs text-faint tabular-nums">
                    revision {change.revision} · {formatTime(change.at, true)}
                  </span>
                </summary>
                {change.body !== undefined && (
                  <div className="flex flex-col gap-2 border-t border-line p-3">
                    <LineDiff before={change.body} after={now} label={`Revision ${change.revision} and now`} />
                    <Button small className="self-start" onClick={() => use(change.body)}>
                      Edit from this revision
                    </Button>
                  </div>
                )}
              </details>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** The problems of a refused change; throws any other error. */
async function problemsIn(response: Response): Promise<readonly Problem[] | undefined> {
  if (response.ok) return undefined;
  const copy = response.clone();
  const body: { readonly problems?: readonly Problem[] } = await response.json().catch(() => ({}));
  if (response.status === 422 && body.problems !== undefined) return body.problems;
  throw await readError(copy);
}

function readJson(text: string): { readonly json?: unknown; readonly problem?: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "" };
  }
}
