import { escapeText } from "../codec/escape-text.ts";
import type { SqlValue } from "./statement.ts";

/** Conditions with their values, all of which must hold. `$` in a condition stands for the number of its value. */
export class Where {
  readonly #conditions: string[] = [];
  readonly values: SqlValue[] = [];

  /** Left out when there is no value to compare with. */
  and(condition: string, value: string | number | undefined): this {
    if (value === undefined) return this;
    this.values.push(value);
    this.#conditions.push(condition.replaceAll("$", `$${this.values.length}`));
    return this;
  }

  /** The same for free text, which is stored escaped. */
  andText(condition: string, text: string | undefined): this {
    return this.and(condition, text === undefined ? undefined : escapeText(text));
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
