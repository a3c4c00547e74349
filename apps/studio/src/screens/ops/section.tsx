import type { ReactNode } from "react";
import { ErrorNote, Skeleton } from "../../parts/notice.tsx";

/** The scrolling page of a part. */
export function PartPage({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div tabIndex={0} role="region" aria-label={label} className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-8 p-5">{children}</div>
    </div>
  );
}

/** A part of a page with a title and a sentence about it. */
export function Section({
  title,
  about,
  actions,
  children,
}: {
  readonly title: string;
  readonly about?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section aria-label={title} className="flex flex-col gap-2.5">
      <header className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="font-semibold">{title}</h2>
          {about !== undefined && <p className="text-sm text-faint">{about}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** What a query says: its error, a skeleton while there is nothing yet, or the page made of its answer. */
export function Loaded<Answer>({
  query,
  rows = 3,
  children,
}: {
  readonly query: { readonly data: Answer | undefined; readonly error: unknown; readonly refetch: () => unknown };
  readonly rows?: number;
  readonly children: (answer: Answer) => ReactNode;
}): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <ErrorNote error={query.error} retry={() => void query.refetch()} />;
  return <Skeleton rows={rows} />;
}

interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
}

/** A table of figures. */
export function Table({
  label,
  columns,
  rows,
  empty,
}: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
  readonly empty: string;
}): ReactNode {
  if (rows.length === 0) return <p className="text-sm text-faint">{empty}</p>;
  return (
    <div tabIndex={0} role="region" aria-label={label} className="overflow-x-auto rounded-lg border border-line">
      <table className="w-full text-sm tabular-nums">
        <thead className="bg-side text-left text-xs text-faint">
          <tr>
            {columns.map(({ name, isNumber = false }) => (
              <th
                key={name}
                scope="col"
                className={`px-3 py-1.5 font-medium whitespace-nowrap ${isNumber ? "text-right" : ""}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key} className="border-t border-line">
              {cells.map((cell, index) => (
                <td
                  key={columns[index]?.name}
                  className={`px-3 py-1.5 ${columns[index]?.isNumber ? "text-right whitespace-nowrap" : "max-w-64 truncate"}`}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
