import { RepriseError, type Store } from "@reprise/contracts";
import { interceptStore } from "./intercept-store.ts";

/** What happens to an operation: it passes, fails before it is done, or is done and its answer is lost. */
export type Fate = "fine" | "fails" | "loses_answer";

/** Says what happens to the next operation. */
export type Weather = (operation: string) => Fate;

/** A store that is sometimes away, in every one of its operations. */
export function createFlakyStore(store: Store, weather: Weather): Store {
  return interceptStore(store, {
    tenant: (inner) => wrapAll(inner, weather),
    operator: ({ watch: _, ...inner }) => wrapAll(inner, weather),
  });
}

function wrapAll<Operations extends object>(operations: Operations, weather: Weather): Operations {
  const wrapped = Object.entries(operations).map(([name, operation]: [string, (...input: unknown[]) => unknown]) => [
    name,
    async (...input: unknown[]) => {
      const fate = weather(name);
      if (fate === "fails") throw new RepriseError("STORE_UNAVAILABLE", `${name} was not done.`);
      const answer = await operation(...input);
      if (fate === "loses_answer") throw new RepriseError("STORE_UNAVAILABLE", `The answer of ${name} was lost.`);
      return answer;
    },
  ]);
  // The same names with functions of the same shape; the compiler cannot follow `fromEntries`.
  return Object.fromEntries(wrapped) as Operations;
}
