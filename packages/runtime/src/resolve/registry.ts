/** Things of one kind, found by id. Lists keep their order. */
export interface Registry<Value> {
  get(id: string): Value | undefined;
  ids(): readonly string[];
  list(): readonly Value[];
}

/** A registry of what is in a map now. Its lists are made once: resolving reads them every time. */
export function createMapRegistry<Value>(values: ReadonlyMap<string, Value>): Registry<Value> {
  const byId = new Map(values);
  const ids = Object.freeze([...byId.keys()]);
  const list = Object.freeze([...byId.values()]);
  return { get: (id) => byId.get(id), ids: () => ids, list: () => list };
}
