/** A CPU profile as V8 writes it, as far as it is of interest. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Time by name, in milliseconds, the longest first. */
export type TimesByName = readonly (readonly [string, number])[];

/** The time of one thread: by part of the code, and by function, without that of the functions it calls. */
export interface ProfileSummary {
  readonly busyMs: number;
  readonly parts: TimesByName;
  readonly functions: TimesByName;
}

/** Time in which a thread computes nothing. */
const IDLE: ReadonlySet<string> = new Set(["(idle)", "(program)"]);
/** The profiler itself. */
const PROFILER = "node:inspector";

/** Adds up the samples of a profile. */
export function summarizeProfile({ nodes, samples, timeDeltas }: CpuProfile): ProfileSummary {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [parts, functions] = [new Map<string, number>(), new Map<string, number>()];
  let busyMs = 0;
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || IDLE.has(frame.functionName) || frame.url === PROFILER) continue;
    const ms = (timeDeltas[index] ?? 0) / 1_000;
    busyMs += ms;
    const place = frame.url === "" ? "" : ` ${shorten(frame.url)}:${frame.lineNumber + 1}`;
    add(parts, partOf(frame.functionName, frame.url), ms);
    add(functions, `${frame.functionName || "(anonymous)"}${place}`, ms);
  }
  return { busyMs, parts: sorted(parts), functions: sorted(functions) };
}

/** The package and folder of a function, or whose it is if not ours. */
function partOf(name: string, url: string): string {
  if (name === "(garbage collector)") return "garbage collection";
  if (url === "") return "native code";
  if (url.startsWith("node:")) return `Node: ${url.split("/")[0]}`;
  const own = /packages\/([^/]+)\/src\/(?:([^/]+)\/)?[^/]+$/.exec(url) ?? /packages\/([^/]+)\/src\/([^/]+)\//.exec(url);
  if (own !== null) return [own[1], own[2]].filter((folder) => folder !== undefined).join("/");
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? "the benchmark";
}

function shorten(url: string): string {
  return url.replace(/^.*\/(?=packages\/|node_modules\/|bench\/)/, "");
}

function add(times: Map<string, number>, name: string, ms: number): void {
  times.set(name, (times.get(name) ?? 0) + ms);
}

function sorted(times: ReadonlyMap<string, number>): TimesByName {
  return [...times].toSorted(([, left], [, right]) => right - left);
}
