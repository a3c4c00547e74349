import type { Cut, RowPage } from "../shell/row-reader.ts";
import type { Ask } from "./select-commits.ts";
import { rowsOf } from "./session.ts";
import { composed } from "./statement.ts";
import type { Where } from "./where.ts";

/** One page of a list, and how long the list is. */
export async function listRows<Columns, Row>(
  ask: Ask,
  list: {
    readonly columns: string;
    readonly table: string;
    /** Other tables that columns are of, joined. */
    readonly joined?: string;
    readonly where: Where;
    readonly order: string;
  },
  { offset, limit }: Cut,
  open: (columns: Columns) => Row,
): Promise<RowPage<Row>> {
  const { columns, table, joined = "", where, order } = list;
  const count = where.values.length;
  const results = await ask([
    composed(`select count(*) as total from ${table} where ${where.sql}`, where.values),
    composed(
      `select ${columns} from ${table} ${joined} where ${where.sql} order by ${order}
       limit $${count + 1}::bigint offset $${count + 2}::bigint`,
      [...where.values, limit, offset],
    ),
  ]);
  const [counted] = rowsOf<{ readonly total: number }>(results, 0);
  return { rows: rowsOf<Columns>(results, 1).map(open), total: counted?.total ?? 0 };
}
