import { type AnyRouter, createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { ROOT } from "../api/connection.ts";
import { Empty } from "../parts/notice.tsx";
import { ChatScreen } from "../screens/chat/chat-screen.tsx";
import { Frame } from "./frame.tsx";

/** The cursor is a part of the address, so that a link shows somebody else the same moment. */
interface CursorSearch {
  readonly at?: number;
}

function readCursor(search: Readonly<Record<string, unknown>>): CursorSearch {
  const at = Number(search.at);
  return Number.isSafeInteger(at) && at > 0 ? { at } : {};
}

const root = createRootRoute({
  component: Frame,
  notFoundComponent: () => (
    <Empty icon="search" title="There is no such page">
      The address may be of a newer version of the studio.
    </Empty>
  ),
});
/** One screen for a thread and for one that is about to begin, so that the first message changes nothing but the address. */
const chat = createRoute({ getParentRoute: () => root, id: "chat", component: ChatScreen, validateSearch: readCursor });
const beginning = createRoute({ getParentRoute: () => chat, path: "/" });
const thread = createRoute({ getParentRoute: () => chat, path: "/threads/$threadId" });

const inbox = createRoute({
  getParentRoute: () => root,
  id: "inbox",
  component: lazyRouteComponent(() => import("../screens/inbox/inbox-screen.tsx"), "InboxScreen"),
});
const questions = createRoute({ getParentRoute: () => inbox, path: "/inbox" });
const question = createRoute({ getParentRoute: () => inbox, path: "/inbox/$callId" });

/** The filters of the list of runs. */
export interface RunFilters {
  readonly status?: string;
  readonly agent?: string;
  readonly origin?: string;
  readonly word?: string;
}

function readFilters(search: Readonly<Record<string, unknown>>): RunFilters {
  const text = (name: keyof RunFilters) => {
    const value = search[name];
    return value === undefined || value === "" ? {} : { [name]: String(value) };
  };
  return { ...text("status"), ...text("agent"), ...text("origin"), ...text("word") };
}

const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("../screens/runs/runs-screen.tsx"), "RunsScreen"),
});
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import("../screens/run/run-screen.tsx"), "RunScreen"),
});
const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare/$a/$b",
  component: lazyRouteComponent(() => import("../screens/compare/compare-screen.tsx"), "CompareScreen"),
});

const agents = createRoute({
  getParentRoute: () => root,
  id: "agents",
  component: lazyRouteComponent(() => import("../screens/agents/agents-screen.tsx"), "AgentsScreen"),
});
const allAgents = createRoute({ getParentRoute: () => agents, path: "/agents" });
const oneAgent = createRoute({ getParentRoute: () => agents, path: "/agents/$agentId" });
/** The node of a workflow's run that the inspector shows. */
interface NodeSearch {
  readonly node?: string;
}

const workflows = createRoute({
  getParentRoute: () => root,
  id: "workflows",
  component: lazyRouteComponent(() => import("../screens/workflows/workflows-screen.tsx"), "WorkflowsScreen"),
});
const allWorkflows = createRoute({ getParentRoute: () => workflows, path: "/workflows" });
const oneWorkflow = createRoute({ getParentRoute: () => workflows, path: "/workflows/$workflowId" });
const workflowRun = createRoute({
  getParentRoute: () => root,
  path: "/workflow-runs/$runId",
  validateSearch: ({ node }: Readonly<Record<string, unknown>>): NodeSearch =>
    typeof node === "string" && node !== "" ? { node } : {},
  component: lazyRouteComponent(() => import("../screens/workflow-run/workflow-run-screen.tsx"), "WorkflowRunScreen"),
});
const evals = createRoute({
  getParentRoute: () => root,
  path: "/evals",
  component: lazyRouteComponent(() => import("../screens/experiments/experiments-screen.tsx"), "ExperimentsScreen"),
});
const experiment = createRoute({
  getParentRoute: () => root,
  path: "/evals/$experimentId",
  component: lazyRouteComponent(() => import("../screens/experiments/experiment-screen.tsx"), "ExperimentScreen"),
});
const comparedExperiments = createRoute({
  getParentRoute: () => root,
  path: "/evals/$before/compare/$after",
  component: lazyRouteComponent(() => import("../screens/experiments/compared-screen.tsx"), "ComparedScreen"),
});
/** The entry of the configuration that is shown. */
interface OpsSearch {
  readonly kind?: string;
  readonly id?: string;
}

const ops = createRoute({
  getParentRoute: () => root,
  id: "ops",
  validateSearch: ({ kind, id }: Readonly<Record<string, unknown>>): OpsSearch => ({
    ...(typeof kind === "string" && { kind }),
    ...(typeof id === "string" && { id }),
  }),
  component: lazyRouteComponent(() => import("../screens/ops/ops-screen.tsx"), "OpsScreen"),
});
const opsOverview = createRoute({ getParentRoute: () => ops, path: "/ops" });
const opsPart = createRoute({ getParentRoute: () => ops, path: "/ops/$part" });

const tree = root.addChildren([
  chat.addChildren([beginning, thread]),
  inbox.addChildren([questions, question]),
  runs,
  run,
  compare,
  agents.addChildren([allAgents, oneAgent]),
  workflows.addChildren([allWorkflows, oneWorkflow]),
  workflowRun,
  evals,
  experiment,
  comparedExperiments,
  ops.addChildren([opsOverview, opsPart]),
]);

/** The addresses of the studio, below the path that the server is mounted at. */
export const router: AnyRouter = createRouter({
  routeTree: tree,
  basepath: new URL(ROOT).pathname,
  defaultPreload: "intent",
  scrollRestoration: false,
});
