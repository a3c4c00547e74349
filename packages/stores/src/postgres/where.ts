import { escapeText } from "../codec/escape-text.ts";
import type { SqlValue } from "./statement.ts";

/** Conditions with their values, all of which must hold. `$` without a number stands for a condition's own value. */
export class Where {
  readonly #conditions: string[] = [];
  readonly values: SqlValue[] = [];

  /** Left out when there is no value to compare with. */
  and(condition: string, value: string | number | undefined): this {
    if (value === undefined) return this;
    this.values.push(value);
    this.#conditions.push(condition.replaceAll(/\$(?!\d)/g, `$${this.values.length}`));
    return this;
  }

  /** The same for free text, which is stored escaped. */
  andText(condition: string, text: string | undefined): this {
    return this.and(condition, text === undefined ? undefined : escapeText(text));
  }

  /** Rows that are filed under a thread, by the column that has its number. */
  ofThread(column: string, tenant: string, threadId: string | undefined): this {
    if (threadId === undefined) return this;
    const count = this.values.push(tenant, threadId);
    this.#conditions.push(
      `${column} = (select key from threads where tenant = $${count - 1} and thread_id = $${count})`,
    );
    return this;
  }

  /** A condition without a value, for some questions only. */
  andIf(isAsked: boolean, condition: string): this {
    if (isAsked) this.#conditions.push(condition);
    return this;
  }

  get sql(): string {
    return this.#conditions.join(" and ");
  }
}
