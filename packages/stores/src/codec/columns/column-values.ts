import { escapeText, unescapeText } from "../escape-text.ts";

/** Free text as a column, or null. */
export function optionalText(text: string | null | undefined): string | null {
  return text == null ? null : escapeText(text);
}

/** A property that is left out when its column is null. */
export function optionalProperty<Key extends string>(
  key: Key,
  column: string | null,
): { readonly [Name in Key]?: string } {
  // The one key of the object is the one of the type.
  return (column === null ? {} : { [key]: unescapeText(column) }) as { readonly [Name in Key]?: string };
}
