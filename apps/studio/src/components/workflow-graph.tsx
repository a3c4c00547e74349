import {
  BaseEdge,
  Controls,
  type Edge,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from "@xyflow/react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import "@xyflow/react/dist/base.css";
import type { WorkflowNode } from "../api/types.ts";
import type { PlaceView } from "../log/fold-nodes.ts";
import { type GraphDirection, layOutGraph, lineKey, type Point } from "../log/lay-out-graph.ts";
import { classNames } from "../parts/class-names.ts";
import { formatDuration } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Status } from "../parts/status.tsx";

interface WorkflowGraphProps {
  readonly nodes: readonly WorkflowNode[];
  /** How the nodes stand, by place. Without it the graph is that of the document. */
  readonly places?: ReadonlyMap<string, PlaceView>;
  readonly selected: string | undefined;
  readonly select: (place: string) => void;
}

const WIDTH = 216;
const HEIGHT = 58;
const HEAD = 34;
const PADDING = 16;

const ICONS: Readonly<Record<string, IconName>> = {
  input: "download",
  agent: "agents",
  tool: "tool",
  condition: "fork",
  transform: "bolt",
  parallel: "menu",
  fan_out: "runs",
  merge: "compare",
  human_gate: "hand",
  loop: "retry",
  wait: "clock",
  subworkflow: "flow",
  output: "send",
};

/** The types of nodes in plain words. */
export const TYPE_WORDS: Readonly<Record<string, string>> = {
  input: "inputs",
  agent: "agent",
  tool: "tool",
  condition: "condition",
  transform: "transform",
  parallel: "in parallel",
  fan_out: "for each item",
  merge: "merge",
  human_gate: "gate",
  loop: "loop",
  wait: "wait",
  subworkflow: "workflow",
  output: "output",
};

interface BoxData extends Record<string, unknown> {
  readonly place: string;
  readonly node: WorkflowNode;
  readonly view: PlaceView | undefined;
  readonly isRun: boolean;
  readonly isSelected: boolean;
  readonly direction: GraphDirection;
  readonly select: (place: string) => void;
}

interface LineData extends Record<string, unknown> {
  readonly points: readonly Point[];
  readonly isData: boolean;
  readonly isTaken: boolean;
  readonly isRight: boolean;
  readonly label: string;
}

type Box = Node<BoxData>;
type Line = Edge<LineData>;

/** The graph of a workflow, with how its nodes stand. It can be moved and zoomed; every node is a button. */
export function WorkflowGraph({ nodes, places, selected, select }: WorkflowGraphProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const flow = useRef<ReactFlowInstance<Box, Line>>(undefined);
  const [size, setSize] = useState<Size>();
  useEffect(() => {
    const { current } = frame;
    if (current === null) return undefined;
    const watch = new ResizeObserver(() => setSize({ width: current.clientWidth, height: current.clientHeight }));
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  const ways = useMemo(() => ({ right: drawGraph(nodes, "right"), down: drawGraph(nodes, "down") }), [nodes]);
  const direction: GraphDirection =
    size === undefined || scaleOf(ways.right, size) >= scaleOf(ways.down, size) ? "right" : "down";
  const drawn = ways[direction];
  useEffect(() => {
    if (size !== undefined) void flow.current?.fitView(FIT);
  }, [size]);
  const boxes = useMemo(
    () =>
      drawn.boxes.map(
        ({ place, node, x, y, width, height, isGroup }): Box => ({
          id: place,
          type: isGroup ? "group" : "step",
          position: { x, y },
          width,
          height,
          // A line needs both ends. The page measures a box once, and a fresh box for a node that went on is not measured again.
          measured: { width, height },
          handles: handlesOf({ width, height }, direction),
          data: {
            place,
            node,
            view: places?.get(place),
            isRun: places !== undefined,
            isSelected: place === selected,
            direction,
            select,
          },
        }),
      ),
    [drawn, places, selected, direction, select],
  );
  const lines = useMemo(
    () =>
      drawn.lines.map(
        ({ from, to, points, isData, label }): Line => ({
          id: lineKey(from, to),
          type: "line",
          source: from,
          target: to,
          data: { points, isData, label, isTaken: isTaken(places, from, to), isRight: direction === "right" },
        }),
      ),
    [drawn, places, direction],
  );
  return (
    <div ref={frame} className="absolute inset-0">
      {size !== undefined && (
        <ReactFlow
          key={direction}
          onInit={(instance) => {
            flow.current = instance;
          }}
          nodes={boxes}
          edges={lines}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          fitView
          fitViewOptions={FIT}
          minZoom={0.15}
          maxZoom={1.5}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          zoomOnDoubleClick={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
          aria-label="Graph of the workflow"
        >
          <Controls showInteractive={false} fitViewOptions={FIT} position="bottom-right" className="flow-controls" />
        </ReactFlow>
      )}
    </div>
  );
}

const FIT = { padding: 0.06, minZoom: 0.45, maxZoom: 1 } as const;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** How large a graph can be drawn in a frame. */
function scaleOf(graph: Size, frame: Size): number {
  return Math.min(frame.width / graph.width, frame.height / graph.height, 1);
}

/** Whether work went along a line. */
function isTaken(places: WorkflowGraphProps["places"], from: string, to: string): boolean {
  const [before, behind] = [places?.get(from)?.word, places?.get(to)?.word];
  return before === "done" && behind !== undefined && behind !== "not started" && behind !== "skipped";
}

interface DrawnBox {
  readonly place: string;
  readonly node: WorkflowNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isGroup: boolean;
}

interface DrawnLine {
  readonly from: string;
  readonly to: string;
  readonly points: readonly Point[];
  readonly isData: boolean;
  readonly label: string;
}

interface Drawn {
  readonly boxes: readonly DrawnBox[];
  readonly lines: readonly DrawnLine[];
  readonly width: number;
  readonly height: number;
}

/** Places a graph, and the graphs inside of its nodes in theirs. */
function drawGraph(nodes: readonly WorkflowNode[], direction: GraphDirection, above = ""): Drawn {
  const bodies = new Map(
    nodes.flatMap((node) =>
      node.body === undefined ? [] : [[node.id, drawGraph(node.body.nodes, direction, `${above}${node.id}.`)] as const],
    ),
  );
  const sizeOf = (id: string): { readonly width: number; readonly height: number } => {
    const body = bodies.get(id);
    if (body === undefined) return { width: WIDTH, height: HEIGHT };
    return { width: Math.max(body.width + 2 * PADDING, WIDTH), height: body.height + HEAD + 2 * PADDING };
  };
  const edges = nodes.flatMap((node) => edgesOf(node, nodes));
  const layout = layOutGraph(
    nodes.map(({ id }) => ({ id, ...sizeOf(id), after: edges.filter(({ to }) => to === id).map(({ from }) => from) })),
    direction,
  );
  const boxes = nodes.flatMap((node): readonly DrawnBox[] => {
    const { x = 0, y = 0 } = layout.places.get(node.id) ?? {};
    const body = bodies.get(node.id);
    const own = { place: `${above}${node.id}`, node, x, y, ...sizeOf(node.id), isGroup: body !== undefined };
    const inner = (body?.boxes ?? []).map((box) => ({ ...box, x: box.x + x + PADDING, y: box.y + y + HEAD + PADDING }));
    return [own, ...inner];
  });
  const lines = edges.map(
    ({ from, to, isData, label }): DrawnLine => ({
      from: `${above}${from}`,
      to: `${above}${to}`,
      points: layout.lines.get(lineKey(from, to)) ?? [],
      isData,
      label,
    }),
  );
  const inner = nodes.flatMap(({ id }) => {
    const { x = 0, y = 0 } = layout.places.get(id) ?? {};
    return (bodies.get(id)?.lines ?? []).map((line) => ({
      ...line,
      points: line.points.map((point) => ({ x: point.x + x + PADDING, y: point.y + y + HEAD + PADDING })),
    }));
  });
  return { boxes, lines: [...lines, ...inner], width: layout.width, height: layout.height };
}

/** One line for each node that comes before, whatever number of reasons there are. Data that comes along another way needs no line of its own. */
function edgesOf(
  node: WorkflowNode,
  nodes: readonly WorkflowNode[],
): readonly { readonly from: string; readonly to: string; readonly isData: boolean; readonly label: string }[] {
  const byId = new Map(nodes.map((each) => [each.id, each]));
  const flows = ({ dependencies }: WorkflowNode): readonly string[] =>
    dependencies.filter(({ kind }) => kind !== "data").map(({ on }) => on);
  const reached = new Set<string>();
  const walk = (id: string): void => {
    for (const each of flows(byId.get(id) ?? node)) {
      if (reached.has(each)) continue;
      reached.add(each);
      if (byId.has(each)) walk(each);
    }
  };
  walk(node.id);
  return [...new Set(node.dependencies.map(({ on }) => on))].flatMap((from) => {
    const reasons = node.dependencies.filter(({ on }) => on === from);
    const isData = reasons.every(({ kind }) => kind === "data");
    if (isData && reached.has(from)) return [];
    const whens = reasons.flatMap(({ when }) => (when === undefined ? [] : [String(when)]));
    const label =
      whens.length > 0 ? whens.join(", ") : reasons.some(({ condition }) => condition !== undefined) ? "if" : "";
    return [{ from, to: node.id, isData, label }];
  });
}

const BORDERS: Readonly<Record<string, string>> = {
  running: "border-run",
  "needs approval": "border-wait bg-wait-ground",
  waiting: "border-wait-line",
  done: "border-line-strong",
  failed: "border-bad bg-bad-ground",
  skipped: "border-dashed border-line opacity-60",
  "not started": "border-line",
};

/** Where lines end at a box, as `Handles` draws it. */
function handlesOf({ width, height }: Size, direction: GraphDirection): NonNullable<Box["handles"]> {
  return direction === "right"
    ? [
        { type: "target", position: Position.Left, x: 0, y: height / 2, width: 1, height: 1 },
        { type: "source", position: Position.Right, x: width, y: height / 2, width: 1, height: 1 },
      ]
    : [
        { type: "target", position: Position.Top, x: width / 2, y: 0, width: 1, height: 1 },
        { type: "source", position: Position.Bottom, x: width / 2, y: height, width: 1, height: 1 },
      ];
}

function Handles({ direction }: { readonly direction: GraphDirection }): ReactNode {
  const isRight = direction === "right";
  return (
    <>
      <Handle type="target" position={isRight ? Position.Left : Position.Top} className="invisible" />
      <Handle type="source" position={isRight ? Position.Right : Position.Bottom} className="invisible" />
    </>
  );
}

function StepBox({ data }: NodeProps<Box>): ReactNode {
  const { node, place, view, isRun, isSelected, direction, select } = data;
  const word = view?.word ?? "not started";
  const [first] = view?.instances ?? [];
  const took =
    first?.startedAt !== undefined && first.endedAt !== undefined && view?.instances.length === 1
      ? first.endedAt - first.startedAt
      : undefined;
  const name = node.name ?? node.id;
  return (
    <>
      <Handles direction={direction} />
      <button
        type="button"
        aria-pressed={isSelected}
        onClick={() => select(place)}
        className={classNames(
          "nodrag nopan pointer-events-auto flex size-full items-center gap-2.5 rounded-lg border bg-ground px-3 text-left shadow-node transition-colors duration-100 hover:border-accent",
          isRun ? BORDERS[word] : "border-line-strong",
          isSelected && "outline-2 outline-offset-2 outline-accent",
        )}
      >
        <span
          className={classNames(
            "flex size-7 shrink-0 items-center justify-center rounded-md",
            node.type === "human_gate" ? "bg-wait-ground text-wait" : "bg-raised text-faint",
          )}
        >
          <Icon name={ICONS[node.type] ?? "dot"} size={15} />
        </span>
        <span className="flex min-w-0 flex-1 flex-col">
          <span className="truncate text-sm font-medium">{name}</span>
          <span className="flex items-center gap-1.5 truncate text-xs text-faint">
            {isRun && word !== "not started" ? (
              <Status word={word} className="!text-xs" />
            ) : (
              <span className="truncate">{TYPE_WORDS[node.type] ?? node.type}</span>
            )}
            {took !== undefined && word === "done" && <span className="tabular-nums">{formatDuration(took)}</span>}
            {view !== undefined && view.instances.length > 1 && <span>×{view.instances.length}</span>}
          </span>
        </span>
      </button>
    </>
  );
}

function GroupBox({ data }: NodeProps<Box>): ReactNode {
  const { node, place, view, isRun, isSelected, direction, select } = data;
  const word = view?.word ?? "not started";
  const name = node.name ?? node.id;
  const { count, iterations } = view?.instances[0]?.stored ?? {};
  const size = count !== undefined ? `${count} items` : iterations !== undefined ? `${iterations} rounds` : "";
  return (
    <>
      <Handles direction={direction} />
      <div
        className={classNames(
          "size-full rounded-lg border border-dashed bg-side/60",
          isRun && word !== "not started" ? BORDERS[word] : "border-line-strong",
          isSelected && "outline-2 outline-offset-2 outline-accent",
        )}
      >
        <button
          type="button"
          aria-pressed={isSelected}
          onClick={() => select(place)}
          className="nodrag nopan pointer-events-auto flex h-[34px] w-full items-center gap-2 rounded-t-lg px-3 text-left text-sm hover:bg-hover"
        >
          <Icon name={ICONS[node.type] ?? "dot"} size={14} className="text-faint" />
          <span className="truncate font-medium">{name}</span>
          <span className="truncate text-xs text-faint">{size || TYPE_WORDS[node.type]}</span>
          {isRun && word !== "not started" && <Status word={word} className="ml-auto !text-xs" />}
        </button>
      </div>
    </>
  );
}

function LineShape({ id, data }: EdgeProps<Line>): ReactNode {
  if (data === undefined) return null;
  const { points, isData, isTaken: taken, isRight, label } = data;
  const last = points.at(-1);
  return (
    <>
      <BaseEdge
        id={id}
        path={pathThrough(points, isRight)}
        style={{
          stroke: `var(--${taken ? "good" : "line-strong"})`,
          strokeWidth: 1.5,
          ...(isData && { strokeDasharray: "3 4" }),
        }}
      />
      {label !== "" && last !== undefined && (
        <text
          x={isRight ? last.x - 8 : last.x + 8}
          y={isRight ? last.y - 6 : last.y - 8}
          textAnchor={isRight ? "end" : "start"}
          className="flow-label"
        >
          {label}
        </text>
      )}
    </>
  );
}

/** A soft line through points: it leaves and enters along the direction of the graph. */
function pathThrough([first, ...rest]: readonly Point[], isRight: boolean): string {
  if (first === undefined) return "";
  let path = `M${first.x},${first.y}`;
  let from = first;
  for (const to of rest) {
    const [midX, midY] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    path += isRight
      ? `C${midX},${from.y} ${midX},${to.y} ${to.x},${to.y}`
      : `C${from.x},${midY} ${to.x},${midY} ${to.x},${to.y}`;
    from = to;
  }
  return path;
}

const NODE_TYPES = { step: StepBox, group: GroupBox };
const EDGE_TYPES = { line: LineShape };
