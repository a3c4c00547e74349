import type { Registry } from "./registry.ts";

/**
 * Several registries as one. For an id that more than one knows the first is asked, so what is registered here cannot be
 * replaced from elsewhere.
 */
export function createCompositeRegistry<Value>(registries: readonly Registry<Value>[]): Registry<Value> {
  const get = (id: string): Value | undefined => {
    for (const registry of registries) {
      const value = registry.get(id);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const ids = (): readonly string[] => {
    const [first, ...others] = registries;
    const known = first?.ids() ?? [];
    const more = others.flatMap((registry, index) => {
      const earlier = registries.slice(0, index + 1);
      return registry.ids().filter((id) => !earlier.some((other) => other.get(id) !== undefined));
    });
    // The first one's list is usually the long one, and most often all there is.
    return more.length === 0 ? known : [...known, ...more];
  };
  return { get, ids, list: () => ids().flatMap((id) => get(id) ?? []) };
}
