import type { Page } from "@reprise/contracts";
import type { CommonHeaders } from "./answer.ts";

/** How many bytes of JSON the items of a page have, whatever its limit says. An item that is longer is a page by itself. */
export const MAX_PAGE_BYTES = 1_048_576;

/** More text than this is not held for a client that has not read any. */
const MAX_HELD = 65_536;

/** How many items are read from the store at first, and how much faster with every read: none may be long, and all may be. */
const FIRST_READ = 16;
const READ_GROWTH = 4;

/** A list, and how it is read. */
export interface Listed<Item> {
  /** The list's name in the answer. */
  readonly name: string;
  /** Fields before the list. */
  readonly head?: object;
  readonly limit: number;
  /** Reads on behind what was read. */
  read(
    taken: { readonly count: number; readonly last: Item | undefined },
    limit: number,
  ): Promise<{ readonly items: readonly Item[]; readonly has_more: boolean }>;
  encode?(item: Item): object | Promise<object>;
  /** Fields behind the list. */
  tail(page: { readonly first: Item | undefined; readonly last: Item | undefined; readonly has_more: boolean }): object;
}

/**
 * Answers with a page of a list: of so many items and so many bytes. It is read from the store a few items at a time and as fast as
 * its client reads, so that no client makes the server hold more than that.
 */
export async function answerList<Item>(common: CommonHeaders, list: Listed<Item>): Promise<Response> {
  const pieces = writeList(list);
  let text = "";
  for (let isWhole = false; !isWhole && text.length < MAX_HELD; ) {
    // Before anything is answered: an error is still told as one.
    const { value = "", done = false } = await pieces.next();
    text += value;
    isWhole = done;
    if (done) return answerText(common, text);
  }
  return answerText(common, streamPieces(text, pieces));
}

/** The same for a list that stores give by offset. `more` are further fields behind it. */
export function answerPage<Item>(
  common: CommonHeaders,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  read: (offset: number, limit: number) => Promise<Page<Item>>,
  encode?: (item: Item) => object | Promise<object>,
  more: () => object = () => ({}),
): Promise<Response> {
  let total = 0;
  return answerList<Item>(common, {
    name: "items",
    limit,
    async read({ count }, atMost) {
      const page = await read(offset + count, atMost);
      total = page.total;
      return page;
    },
    ...(encode !== undefined && { encode }),
    tail: ({ has_more }) => ({ total, has_more, ...more() }),
  });
}

async function* writeList<Item>(list: Listed<Item>): AsyncGenerator<string, undefined> {
  const { name, head = {}, limit, encode = (item: Item) => item as object } = list;
  yield `${openObject(head)}${JSON.stringify(name)}:[`;
  let [count, bytes, size, has_more] = [0, 0, FIRST_READ, true];
  let first: Item | undefined;
  let last: Item | undefined;
  while (has_more && count < limit && bytes < MAX_PAGE_BYTES) {
    const page = await list.read({ count, last }, Math.min(size, limit - count));
    has_more = page.has_more;
    if (page.items.length === 0) break;
    for (const item of page.items) {
      const text = JSON.stringify(await encode(item));
      const length = new TextEncoder().encode(text).length;
      if (count > 0 && bytes + length > MAX_PAGE_BYTES) {
        has_more = true;
        bytes = MAX_PAGE_BYTES;
        break;
      }
      yield `${count === 0 ? "" : ","}${text}`;
      first ??= item;
      last = item;
      count += 1;
      bytes += length;
    }
    size = Math.max(Math.min(size * READ_GROWTH, Math.floor(((MAX_PAGE_BYTES - bytes) * count) / (bytes + 1))), 1);
  }
  yield `],${JSON.stringify(list.tail({ first, last, has_more })).slice(1)}`;
}

/** An object up to where another field follows. */
function openObject(head: object): string {
  const text = JSON.stringify(head).slice(0, -1);
  return text === "{" ? text : `${text},`;
}

/** Text as a body that is made as fast as it is read. */
export function streamPieces(text: string, pieces: AsyncGenerator<string, undefined>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let held = text;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let isWhole = false;
        while (!isWhole && held.length < MAX_HELD) {
          const { value = "", done = false } = await pieces.next();
          held += value;
          isWhole = done;
        }
        controller.enqueue(encoder.encode(held));
        held = "";
        if (isWhole) controller.close();
      },
      cancel: () => void pieces.return(undefined),
    },
    // Nothing is made ahead of a client that does not read.
    { highWaterMark: 0 },
  );
}

function answerText(common: CommonHeaders, body: string | ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { ...common.headers, "content-type": "application/json" } });
}
