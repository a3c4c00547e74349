import { Link, useParams } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { Empty, Skeleton } from "../../parts/notice.tsx";
import { ConfigPart } from "./config-part.tsx";
import { Overview } from "./overview.tsx";
import { ProcessesPart } from "./processes-part.tsx";
import { QueuesPart } from "./queues-part.tsx";

const SpendPart = lazy(async () => ({ default: (await import("./spend-part.tsx")).SpendPart }));
const LatencyPart = lazy(async () => ({ default: (await import("./latency-part.tsx")).LatencyPart }));

const PARTS: readonly (readonly [part: string, label: string])[] = [
  ["", "Overview"],
  ["queues", "Queues"],
  ["processes", "Processes"],
  ["spend", "Spend"],
  ["latency", "Latency"],
  ["config", "Configuration"],
];

/** How the server does, and what an operator can do about it. Each part has an address of its own. */
export function OpsScreen(): ReactNode {
  const { part = "" } = useParams({ strict: false });
  return (
    <main className="flex h-full min-h-0 flex-col">
      <header className="flex shrink-0 items-end gap-6 overflow-x-auto border-b border-line px-4">
        <h1 className="py-3 font-semibold max-md:sr-only">Operations</h1>
        <nav aria-label="Parts of operations">
          <ul className="flex gap-1">
            {PARTS.map(([id, label]) => (
              <li key={id}>
                <Link
                  to={id === "" ? "/ops" : "/ops/$part"}
                  params={{ part: id }}
                  activeOptions={{ exact: true, includeSearch: false }}
                  aria-current={part === id ? "page" : undefined}
                  className="block border-b-2 border-transparent px-2.5 py-3 text-sm font-medium whitespace-nowrap text-faint hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <Suspense fallback={<Skeleton />}>
        <Part part={part} />
      </Suspense>
    </main>
  );
}

function Part({ part }: { readonly part: string }): ReactNode {
  switch (part) {
    case "":
      return <Overview />;
    case "queues":
      return <QueuesPart />;
    case "processes":
      return <ProcessesPart />;
    case "spend":
      return <SpendPart />;
    case "latency":
      return <LatencyPart />;
    case "config":
      return <ConfigPart />;
    default:
      return (
        <Empty icon="ops" title="There is no such part">
          The address may be of a newer version of the studio.
        </Empty>
      );
  }
}
