/** An order, or the cycles that leave none. */
export interface Ordered {
  /** Positions of the vertices, each after those it depends on; ties as they are authored. Without the vertices of cycles. */
  readonly order: readonly number[];
  /** One cycle for each knot: the vertices on it, each depending on the next, the first again at the end. */
  readonly cycles: readonly (readonly number[])[];
}

/** Orders vertices by Kahn's algorithm. `dependencies[n]` are the positions that vertex `n` comes after, each once. */
export function orderVertices(dependencies: readonly (readonly number[])[]): Ordered {
  const dependents: number[][] = dependencies.map(() => []);
  const open = dependencies.map((list) => list.length);
  const ready = new LeastFirst();
  for (const [vertex, list] of dependencies.entries()) {
    for (const each of list) dependents[each]?.push(vertex);
    if (list.length === 0) ready.add(vertex);
  }
  const order: number[] = [];
  const isDone = new Set<number>();
  const take = (vertex: number, onto: number[] | undefined): void => {
    isDone.add(vertex);
    onto?.push(vertex);
    for (const next of dependents[vertex] ?? []) {
      open[next] = (open[next] ?? 0) - 1;
      if (open[next] === 0 && !isDone.has(next)) ready.add(next);
    }
  };
  const drain = (onto?: number[]): void => {
    for (let vertex = ready.take(); vertex !== undefined; vertex = ready.take()) take(vertex, onto);
  };
  drain(order);
  const cycles: number[][] = [];
  for (let start = 0; start < dependencies.length; start += 1) {
    if (isDone.has(start)) continue;
    const cycle = followCycle(start, dependencies, isDone);
    cycles.push(cycle);
    // What only waited for this cycle is no cycle itself.
    for (const vertex of cycle) if (!isDone.has(vertex)) take(vertex, undefined);
    drain();
  }
  return { order, cycles };
}

/** From a vertex that is not done some dependency is not done either, so the way comes back to itself. */
function followCycle(
  start: number,
  dependencies: readonly (readonly number[])[],
  isDone: ReadonlySet<number>,
): number[] {
  const way: number[] = [];
  const placeOf = new Map<number, number>();
  let at = start;
  while (!placeOf.has(at)) {
    placeOf.set(at, way.length);
    way.push(at);
    at = dependencies[at]?.find((each) => !isDone.has(each)) ?? at;
  }
  return [...way.slice(placeOf.get(at)), at];
}

/** A heap of numbers that gives the least first. */
class LeastFirst {
  readonly #items: number[] = [];

  add(item: number): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#at(above) <= item) break;
      items[at] = this.#at(above);
      at = above;
    }
    items[at] = item;
  }

  take(): number | undefined {
    const items = this.#items;
    const [least] = items;
    const last = items.pop();
    if (items.length === 0 || last === undefined) return least;
    let at = 0;
    for (;;) {
      const left = at * 2 + 1;
      if (left >= items.length) break;
      const lesser = left + 1 < items.length && this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(lesser) >= last) break;
      items[at] = this.#at(lesser);
      at = lesser;
    }
    items[at] = last;
    return least;
  }

  #at(index: number): number {
    return this.#items[index] ?? Number.POSITIVE_INFINITY;
  }
}
