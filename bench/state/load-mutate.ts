/**
 * Loads an instance of `mutate` of its own for one contestant. Shared code would collect everybody's type feedback, and
 * the proxies of the draft libraries would slow down the in-place floor.
 */
export async function loadMutate(contestant: string): Promise<typeof import("./mutate.ts")["mutate"]> {
  const url = new URL(`./mutate.ts?for=${contestant}`, import.meta.url);
  // The query makes it another instance of the same module, which the checker cannot see through.
  const module = (await import(url.href)) as typeof import("./mutate.ts");
  return module.mutate;
}
