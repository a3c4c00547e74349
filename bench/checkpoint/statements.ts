import "./environment.ts";
import { parseArgs } from "node:util";
import { repriseRuntime } from "./contestants/reprise-runtime.ts";
import { runAll } from "./measure/throughput.ts";
import { langGraph } from "./postgres/langgraph.ts";
import { openPostgres } from "./postgres/open-store.ts";
import { LOG_STATEMENTS, startServer } from "./postgres/start-server.ts";
import { countStatements, type StatementCount, totalExecutions } from "./postgres/statement-log.ts";

const { values: flags } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    concurrency: { type: "string", default: "1" },
    contestant: { type: "string", default: "reprise" },
    full: { type: "boolean", default: false },
  },
});

/** Executions seen less often than this in a run are shown together. */
const RARE = 0.02;
const SHOWN_CHARACTERS = 150;
const WARM_UP_RUNS = 20;

const [runs, concurrency] = [Number(flags.runs), Number(flags.concurrency)];
const server = await startServer(LOG_STATEMENTS);
try {
  const contestants = {
    reprise: repriseRuntime("Reprise runtime", () => openPostgres(server.url)),
    langgraph: langGraph(server.url, "sync"),
  };
  const contestant = flags.contestant === "langgraph" ? contestants.langgraph : contestants.reprise;
  const runner = await contestant.open(concurrency);
  await runAll(runner, concurrency, WARM_UP_RUNS);
  const counts = await countStatements(server, () => runAll(runner, concurrency, runs));
  await runner.close();

  const perRun = (amount: number): string => (amount / runs).toFixed(2).padStart(7);
  const line = (all: readonly StatementCount[], connections: string, text: string): string => {
    const serverMs = all.reduce((sum, one) => sum + one.serverMs, 0);
    return `${perRun(totalExecutions(all))}  ${perRun(serverMs).padStart(9)}  ${connections.padStart(11)}  ${text}`;
  };
  const [often, rare] = [
    counts.filter(({ executions }) => executions / runs >= RARE),
    counts.filter(({ executions }) => executions / runs < RARE),
  ];
  const lines = [
    `${contestant.name}: statements the server executed in ${runs} runs, ${concurrency} at a time, after ${WARM_UP_RUNS} to warm up`,
    `${"a run".padStart(7)}  server ms  connections  statement`,
    line(counts, "", "ALL"),
    ...often.map((one) => line([one], String(one.connections), flags.full ? one.text : shorten(one.text))),
    line(rare, "", `others, ${rare.length} texts`),
    "",
  ];
  process.stdout.write(lines.join("\n"));
} finally {
  await server.stop();
}

function shorten(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
