import type { Cut, RowPage } from "../../shell/row-reader.ts";

/** A part of a list, and how long the list is. */
export function cutRows<Cell, Row>(
  cells: readonly Cell[],
  { offset, limit }: Cut,
  rowOf: (cell: Cell) => Row,
): RowPage<Row> {
  return { rows: cells.slice(offset, offset + limit).map(rowOf), total: cells.length };
}

/** Whether a value is the one that is asked for, if one is. */
export function isAsked<Value>(asked: Value | undefined, value: Value | undefined): boolean {
  return asked === undefined || asked === value;
}
