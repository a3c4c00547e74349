/** Where an item stands in the content of its line: from which character on, and how long its texts are, in their order. */
export interface ItemPosition {
  readonly start: number;
  readonly lengths: readonly number[];
}

/**
 * The content of a line while it is written: a JSON array of objects that hold texts of JSON under their names. An empty text is
 * left out. The texts are put in as they are, for a person to read, and found again by their lengths.
 */
export class LineContent {
  readonly #items: string[] = [];
  /** After the bracket. */
  #end = 1;

  add<Name extends string>(names: readonly Name[], texts: Readonly<Record<Name, string>>): ItemPosition {
    const fields = names.filter((name) => texts[name] !== "").map((name) => `"${name}":${texts[name]}`);
    const item = `{${fields.join(",")}}`;
    const start = this.#end;
    this.#items.push(item);
    this.#end += item.length + 1;
    return { start, lengths: names.map((name) => texts[name].length) };
  }

  /** Undefined when there is nothing in it. */
  get text(): string | undefined {
    return this.#items.length === 0 ? undefined : `[${this.#items.join(",")}]`;
  }
}

/** The texts of an item, under the names they were added with. */
export function readItem<Name extends string>(
  content: string,
  { start, lengths }: ItemPosition,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  let end = start;
  const texts = names.map((name, index) => {
    const length = lengths[index] ?? 0;
    if (length === 0) return [name, ""];
    // A bracket or a comma, the name in quotes and a colon.
    const begin = end + name.length + 4;
    end = begin + length;
    return [name, content.slice(begin, end)];
  });
  // One text for each of the names.
  return Object.fromEntries(texts) as Record<Name, string>;
}
