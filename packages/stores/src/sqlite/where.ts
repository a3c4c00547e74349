/** A condition on a column that applies only when there is a value to compare with. */
export interface Filter {
  readonly condition: string;
  readonly name: string;
  readonly value: string | number | undefined;
}

/** Conditions with their values, all of which must hold. */
export interface Where {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string | number>>;
}

/** Joins the filters that have a value. Each list of filters gives its own statement, and so its own index. */
export function whereAll(filters: readonly Filter[]): Where {
  const parameters: Record<string, string | number> = {};
  const conditions: string[] = [];
  for (const { condition, name, value } of filters) {
    if (value === undefined) continue;
    conditions.push(condition);
    parameters[name] = value;
  }
  return { sql: conditions.join(" and "), parameters };
}
