/** A value that components watch. It is replaced, never changed. */
export class Observable<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  update(change: (value: Value) => Value): void {
    this.#value = change(this.#value);
    for (const listener of this.#listeners) listener();
  }
}
