import type { Cut, RowPage } from "../shell/row-reader.ts";
import type { Connection } from "./connection.ts";
import type { Where } from "./where.ts";

/** One page of a list, and how long the list is. `columns` is everything between `select` and `where`. */
export function listRows<Columns, Row>(
  connection: Connection,
  list: { readonly columns: string; readonly count: string; readonly where: Where; readonly order: string },
  { offset, limit }: Cut,
  open: (columns: Columns) => Row,
): RowPage<Row> {
  const { sql, parameters } = list.where;
  const total = connection.get<{ readonly total: number }>(
    `select count(*) as total from ${list.count} where ${sql}`,
    parameters,
  );
  const rows = connection.all<Columns>(
    `select ${list.columns} where ${sql} order by ${list.order} limit :limit offset :offset`,
    { ...parameters, limit, offset },
  );
  return { rows: rows.map(open), total: total?.total ?? 0 };
}
