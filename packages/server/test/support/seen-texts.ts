import { expect } from "vitest";

/** Where somebody can look. */
export type Place = "stdout" | "stderr" | "body" | "header" | "stream" | "store";

/** Everything that was seen of a server, and where. */
export class SeenTexts {
  readonly #texts = new Map<Place, string[]>();

  add(place: Place, text: string): void {
    const texts = this.#texts.get(place) ?? [];
    texts.push(text);
    this.#texts.set(place, texts);
  }

  /** Takes an answer in wholly, its headers too. Answers its status and its text. */
  async read(response: Response): Promise<{ readonly status: number; readonly text: string }> {
    const text = await response.text();
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    this.add(isStream ? "stream" : "body", text);
    this.add("header", JSON.stringify([...response.headers]));
    return { status: response.status, text };
  }

  /** That these words were seen at a place, each of them: proof that it was looked at. */
  expectAt(place: Place, words: readonly string[]): void {
    const texts = this.#texts.get(place) ?? [];
    const missing = words.filter((word) => !texts.some((text) => text.includes(word)));
    expect(missing, `not seen at ${place}`).toEqual([]);
  }

  /** That none of these words was seen anywhere. What came before one says where it was. */
  expectNowhere(words: readonly string[]): void {
    const found: string[] = [];
    for (const [place, texts] of this.#texts) {
      for (const text of texts) {
        for (const word of words) {
          const at = text.indexOf(word);
          if (at >= 0) found.push(`${place}: ${text.slice(Math.max(at - 200, 0), at + word.length)}`);
        }
      }
    }
    expect(found.slice(0, 3)).toEqual([]);
  }
}
