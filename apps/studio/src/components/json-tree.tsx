import { type ReactNode, useState } from "react";
import { IconButton } from "../parts/button.tsx";
import { classNames } from "../parts/class-names.ts";
import { formatBytes } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";

const LONGEST_TEXT = 300;
const FIRST_ITEMS = 100;

interface JsonTreeProps {
  readonly value: unknown;
  readonly label: string;
  /** How many levels are open at first. */
  readonly open?: number;
  /** Paths that are marked, as `/notes/1`. */
  readonly marked?: ReadonlySet<string>;
}

/** JSON as a tree: folded by a click, searched by a word, with the path of every value to copy. */
export function JsonTree({ value, label, open = 2, marked }: JsonTreeProps): ReactNode {
  const [word, setWord] = useState("");
  const isSearchable = JSON.stringify(value ?? null).length > 400;
  return (
    <div role="group" aria-label={label} className="flex flex-col gap-1.5 font-mono text-xs leading-5">
      {isSearchable && (
        <label className="flex items-center gap-1.5 rounded-md border border-line px-2 font-sans text-faint focus-within:border-accent">
          <Icon name="search" size={13} />
          <input
            type="search"
            value={word}
            onChange={(event) => setWord(event.target.value)}
            placeholder="Search keys and values"
            aria-label={`Search in ${label}`}
            className="h-7 min-w-0 flex-1 bg-transparent text-sm text-ink outline-none"
          />
        </label>
      )}
      <Node
        name={undefined}
        value={value}
        path=""
        depth={0}
        open={open}
        word={word.trim().toLowerCase()}
        marked={marked ?? NONE}
      />
    </div>
  );
}

const NONE: ReadonlySet<string> = new Set();

interface NodeProps {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
  readonly open: number;
  readonly word: string;
  readonly marked: ReadonlySet<string>;
}

function Node({ name, value, path, depth, open, word, marked }: NodeProps): ReactNode {
  const entries = entriesOf(value);
  const [isOpen, setOpen] = useState(depth < open);
  const [shown, setShown] = useState(FIRST_ITEMS);
  const isFound = word !== "" && contains(value, word);
  const isHit = word !== "" && name?.toLowerCase().includes(word);
  const isMarked = marked.has(path) || [...marked].some((each) => !isOpen && each.startsWith(`${path}/`));
  const head = name !== undefined && (
    <span className={classNames("text-accent", isHit && "bg-wait-ground")}>{name}</span>
  );
  const row = classNames("group flex min-w-0 items-start gap-1 rounded-sm", isMarked && "bg-good-ground");
  if (entries === undefined)
    return (
      <div className={row}>
        <span className="w-3 shrink-0" />
        <span className="min-w-0 break-words whitespace-pre-wrap">
          {head}
          {name !== undefined && ": "}
          <Leaf value={value} isHit={isFound} />
        </span>
        <CopyPath path={path} value={value} />
      </div>
    );
  const isExpanded = isOpen || isFound;
  return (
    <div className="min-w-0">
      <div className={row}>
        <button
          type="button"
          aria-expanded={isExpanded}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 items-start gap-1 text-left hover:bg-hover"
        >
          <Icon name="chevron" size={12} className={classNames("mt-1 text-faint", isExpanded && "rotate-90")} />
          <span>
            {head}
            {name !== undefined && ": "}
            <span className="text-faint">
              {Array.isArray(value) ? `[${entries.length}]` : entries.length === 0 ? "{}" : `{${entries.length}}`}
            </span>
          </span>
        </button>
        <CopyPath path={path} value={value} />
      </div>
      {isExpanded && (
        <div className="ml-1.5 border-l border-line pl-2">
          {entries.slice(0, shown).map(([key, child]) => (
            <Node
              key={key}
              name={key}
              value={child}
              path={`${path}/${key}`}
              depth={depth + 1}
              open={open}
              word={word}
              marked={marked}
            />
          ))}
          {entries.length > shown && (
            <button type="button" className="text-accent underline" onClick={() => setShown(shown + 1000)}>
              show more ({entries.length - shown})
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Leaf({ value, isHit }: { readonly value: unknown; readonly isHit: boolean }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const mark = isHit ? "bg-wait-ground" : "";
  if (typeof value !== "string") return <span className={`text-run ${mark}`}>{String(value)}</span>;
  const isCut = value.length > LONGEST_TEXT && !isWhole;
  return (
    <>
      <span className={`text-good ${mark}`}>{JSON.stringify(isCut ? value.slice(0, LONGEST_TEXT) : value)}</span>
      {isCut && (
        <button type="button" className="ml-1 font-sans text-accent underline" onClick={() => setWhole(true)}>
          show all ({formatBytes(value.length)})
        </button>
      )}
    </>
  );
}

function CopyPath({ path, value }: { readonly path: string; readonly value: unknown }): ReactNode {
  const copy = (text: string): void => void navigator.clipboard.writeText(text);
  const look = "ml-auto size-5 opacity-0 group-hover:opacity-100 focus-visible:opacity-100";
  return path === "" ? (
    <IconButton
      icon="copy"
      label="Copy JSON"
      className={look}
      onClick={() => copy(JSON.stringify(value, null, 2) ?? "")}
    />
  ) : (
    <IconButton icon="link" label={`Copy the path ${path}`} className={look} onClick={() => copy(path)} />
  );
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value);
}

function contains(value: unknown, word: string): boolean {
  const entries = entriesOf(value);
  if (entries === undefined) return String(value).toLowerCase().includes(word);
  return entries.some(([key, child]) => key.toLowerCase().includes(word) || contains(child, word));
}
