import type { ReactNode } from "react";
import type { WorkflowNode } from "../api/types.ts";
import { Icon } from "../parts/icon.tsx";
import { JsonTree } from "./json-tree.tsx";

interface NodeDefinitionProps {
  readonly place: string;
  readonly node: WorkflowNode;
  /** The document of the workflow, where it is known. */
  readonly document: unknown;
  readonly showsTitle?: boolean;
}

/** Fields that are shown elsewhere. */
const KNOWN = new Set(["id", "type", "name", "description", "body"]);
const TEXTS = new Set([
  "prompt_template",
  "message_template",
  "expression",
  "system_prompt_append",
  "while",
  "over",
  "merge_fn",
]);

/** A node as its document has it: what it does, and what it comes after. */
export function NodeDefinition({ place, node, document, showsTitle = true }: NodeDefinitionProps): ReactNode {
  const definition = findDefinition(document, place);
  const fields = Object.entries(definition ?? {}).filter(([key]) => !KNOWN.has(key));
  return (
    <div className="flex flex-col gap-3">
      {showsTitle && (
        <header className="flex flex-wrap items-baseline gap-x-2">
          <h2 className="font-semibold">{node.name ?? node.id}</h2>
          <code className="font-mono text-xs text-faint">
            {place} · {node.type}
          </code>
        </header>
      )}
      {typeof definition?.description === "string" && <p className="text-sm text-faint">{definition.description}</p>}
      {node.dependencies.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-1.5 text-sm text-faint">
          After
          {node.dependencies.map(({ on, kind, when }) => (
            <span
              key={`${on} ${String(when)} ${kind}`}
              className="rounded-md bg-raised px-1.5 py-0.5 font-mono text-xs text-ink"
            >
              {on}
              {when !== undefined && ` = ${String(when)}`}
              {kind === "data" && " (its output)"}
            </span>
          ))}
        </p>
      )}
      {fields.length > 0 && (
        <dl className="flex flex-col gap-2">
          {fields.map(([key, value]) => (
            <div key={key} className="flex flex-col gap-1">
              <dt className="text-xs font-semibold text-faint">{key.replaceAll("_", " ")}</dt>
              <dd>
                {typeof value === "string" && TEXTS.has(key) ? (
                  <pre
                    tabIndex={0}
                    role="group"
                    aria-label={key.replaceAll("_", " ")}
                    className="max-h-60 overflow-auto rounded-md bg-side p-2.5 font-mono text-xs leading-5 break-words whitespace-pre-wrap"
                  >
                    {value}
                  </pre>
                ) : typeof value === "object" && value !== null ? (
                  <JsonTree value={value} label={key} open={3} />
                ) : (
                  <span className="font-mono text-sm break-words">{String(value)}</span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {definition === undefined && (
        <p className="flex items-center gap-2 text-sm text-faint">
          <Icon name="warning" size={13} />
          The document of this run is not the one that is served now.
        </p>
      )}
    </div>
  );
}

type Definition = Readonly<Record<string, unknown>>;

/** Follows the ids of a place through the document, bodies included. */
function findDefinition(document: unknown, place: string): Definition | undefined {
  let graph: unknown = fieldOf(document, "workflow");
  let found: Definition | undefined;
  for (const id of place.split(".")) {
    const nodes = fieldOf(graph, "nodes");
    if (!Array.isArray(nodes)) return undefined;
    found = nodes.find((each: unknown) => fieldOf(each, "id") === id);
    if (found === undefined) return undefined;
    graph = found.body;
  }
  return found;
}

function fieldOf(value: unknown, name: string): unknown {
  // The value of an own field of an object that was just seen to be one.
  return typeof value === "object" && value !== null ? (value as Definition)[name] : undefined;
}
