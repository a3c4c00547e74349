import type { ToolConcurrency, ToolDescriptor } from "@reprise/contracts";

/**
 * Which calls may run beside each other.
 * - `read_only`: beside their like.
 * - `concurrent`: mutating, beside their like: promoted tools, and those that run agents of their own.
 * - `serial`: mutating, one after the other.
 * - `short_circuit`: refused before anything runs.
 */
export type RoutingClass = "read_only" | "concurrent" | "serial" | "short_circuit";

/** The class of a tool for an agent; one it does not have is refused. */
export function routeTool(
  descriptor: ToolDescriptor | undefined,
  promoted: Readonly<Record<string, ToolConcurrency>>,
): RoutingClass {
  if (descriptor === undefined) return "short_circuit";
  if (descriptor.class === "read_only" && !descriptor.is_recursive) return "read_only";
  // A recursive tool holds its slot while agents below it work: in a pool of one they would wait for it for ever.
  if (descriptor.is_recursive) return "concurrent";
  // A tool that came later may turn out to be destructive although its spec names it.
  return Object.hasOwn(promoted, descriptor.id) && !descriptor.is_destructive ? "concurrent" : "serial";
}

/** Calls of one class that follow each other. */
export interface ClassRun<Call> {
  readonly route: RoutingClass;
  readonly calls: readonly Call[];
}

/**
 * Splits a round where the class changes. What is in one run may overlap; the runs themselves follow each other, so that a
 * read after a write sees it.
 */
export function splitByClass<Call>(
  calls: readonly Call[],
  routeOf: (call: Call) => RoutingClass,
): readonly ClassRun<Call>[] {
  const runs: { route: RoutingClass; calls: Call[] }[] = [];
  for (const call of calls) {
    const route = routeOf(call);
    const last = runs.at(-1);
    if (last?.route === route) last.calls.push(call);
    else runs.push({ route, calls: [call] });
  }
  return runs;
}
