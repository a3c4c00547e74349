import { hashText } from "../../kernel/hash-text.ts";

/** An id that says in which database it is: `p1~…`. What is derived from such an id has it inside: `sub-agent-p1~…`. */
const PLACED = /(?<![0-9A-Za-z])p(\d{1,3})~/;

/** The database that an id names; undefined when it names none of so many. */
export function namedPlace(id: string, count: number): number | undefined {
  const [, digits] = PLACED.exec(id) ?? [];
  const place = digits === undefined ? count : Number(digits);
  return place < count ? place : undefined;
}

/** An id that names a database. */
export function placedId(id: string, place: number): string {
  return `p${place}~${id}`;
}

/** The database of what has no other: always the same one for the same texts, and all of them equally often. */
export function hashedPlace(texts: readonly string[], count: number): number {
  return Number.parseInt(hashText(JSON.stringify(texts)).slice(0, 8), 16) % count;
}

/** Where a thread is, and whatever is filed under its id: where the id says, or else by its hash. */
export function placeOfThread(tenant: string, threadId: string, count: number): number {
  return namedPlace(threadId, count) ?? hashedPlace([tenant, threadId], count);
}
