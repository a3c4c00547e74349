/** A box of a graph before it has a place. */
export interface GraphBox {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** The boxes that come before it. */
  readonly after: readonly string[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Boxes with their places: the top left corners, and the way of every line between two. */
export interface GraphLayout {
  readonly places: ReadonlyMap<string, Point>;
  /** By `from→to`: the points that a line goes through, from the end of one box to the start of the other. */
  readonly lines: ReadonlyMap<string, readonly Point[]>;
  readonly width: number;
  readonly height: number;
}

export type GraphDirection = "right" | "down";

const LAYER_GAP: Readonly<Record<GraphDirection, number>> = { right: 56, down: 36 };
const BOX_GAP = 20;
const LANE = 12;
const SWEEPS = 6;

interface Cell {
  readonly id: string;
  /** Along the direction, and across it. */
  readonly along: number;
  readonly across: number;
  readonly before: string[];
  readonly behind: string[];
  readonly isLane: boolean;
}

export function lineKey(from: string, to: string): string {
  return `${from}→${to}`;
}

/**
 * Places the boxes of a graph without cycles in layers: each behind the ones it comes after, in the order that crosses the fewest lines.
 * Long lines get a lane of their own in the layers between, so that they go around boxes.
 */
export function layOutGraph(boxes: readonly GraphBox[], direction: GraphDirection): GraphLayout {
  const isRight = direction === "right";
  const layerOf = findLayers(boxes);
  const cells = new Map<string, Cell>();
  const layers: string[][] = [];
  const put = (cell: Cell, layer: number): void => {
    cells.set(cell.id, cell);
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(cell.id);
  };
  for (const { id, width, height } of boxes) {
    const [along, across] = isRight ? [width, height] : [height, width];
    put({ id, along, across, before: [], behind: [], isLane: false }, layerOf.get(id) ?? 0);
  }
  const ways = new Map<string, readonly string[]>();
  for (const { id, after } of boxes) {
    for (const from of new Set(after)) {
      const start = layerOf.get(from);
      if (start === undefined) continue;
      const way = [from];
      for (let layer = start + 1; layer < (layerOf.get(id) ?? 0); layer += 1) {
        const lane = `${lineKey(from, id)}@${layer}`;
        put({ id: lane, along: 0, across: LANE, before: [], behind: [], isLane: true }, layer);
        way.push(lane);
      }
      way.push(id);
      ways.set(lineKey(from, id), way);
      for (let at = 1; at < way.length; at += 1) {
        cells.get(way[at] ?? "")?.before.push(way[at - 1] ?? "");
        cells.get(way[at - 1] ?? "")?.behind.push(way[at] ?? "");
      }
    }
  }
  orderLayers(layers, cells);
  return placeCells({ layers, cells, ways, isRight });
}

/** The longest way to each box. Boxes of a circle, which no checked graph has, stay where they are found. */
function findLayers(boxes: readonly GraphBox[]): ReadonlyMap<string, number> {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const layers = new Map<string, number>();
  const visiting = new Set<string>();
  const layerOf = (id: string): number => {
    const known = layers.get(id);
    if (known !== undefined) return known;
    if (visiting.has(id)) return 0;
    visiting.add(id);
    const before = (byId.get(id)?.after ?? []).filter((each) => byId.has(each));
    const layer = before.length === 0 ? 0 : Math.max(...before.map(layerOf)) + 1;
    visiting.delete(id);
    layers.set(id, layer);
    return layer;
  };
  for (const { id } of boxes) layerOf(id);
  return layers;
}

/** Moves each cell towards the middle of its neighbours, forwards and backwards, a few times. */
function orderLayers(layers: string[][], cells: ReadonlyMap<string, Cell>): void {
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForward = sweep % 2 === 0;
    const order = isForward ? layers.keys() : [...layers.keys()].reverse();
    for (const at of order) {
      const beside = layers[isForward ? at - 1 : at + 1];
      const own = layers[at];
      if (beside === undefined || own === undefined) continue;
      const position = new Map(beside.map((id, index) => [id, index]));
      const middle = (id: string, index: number): number => {
        const cell = cells.get(id);
        const neighbours = (isForward ? cell?.before : cell?.behind) ?? [];
        const found = neighbours.flatMap((each) => position.get(each) ?? []);
        // Without neighbours it stays beside the cells it stands between.
        if (found.length === 0) return (index / Math.max(own.length - 1, 1)) * Math.max(beside.length - 1, 0);
        return found.reduce((sum, each) => sum + each, 0) / found.length;
      };
      const middles = new Map(own.map((id, index) => [id, middle(id, index)]));
      own.sort((one, other) => (middles.get(one) ?? 0) - (middles.get(other) ?? 0));
    }
  }
}

interface Ordered {
  readonly layers: readonly (readonly string[])[];
  readonly cells: ReadonlyMap<string, Cell>;
  readonly ways: ReadonlyMap<string, readonly string[]>;
  readonly isRight: boolean;
}

function placeCells({ layers, cells, ways, isRight }: Ordered): GraphLayout {
  const across = new Map<string, number>();
  const along = new Map<string, number>();
  const sizeOf = (layer: readonly string[]): number =>
    layer.reduce((sum, id) => sum + (cells.get(id)?.across ?? 0) + BOX_GAP, -BOX_GAP);
  const widest = Math.max(0, ...layers.map(sizeOf));
  const gap = LAYER_GAP[isRight ? "right" : "down"];
  let front = 0;
  for (const layer of layers) {
    let at = (widest - sizeOf(layer)) / 2;
    const deep = Math.max(0, ...layer.map((id) => cells.get(id)?.along ?? 0));
    for (const id of layer) {
      const cell = cells.get(id);
      across.set(id, at);
      along.set(id, front + (deep - (cell?.along ?? 0)) / 2);
      at += (cell?.across ?? 0) + BOX_GAP;
    }
    front += deep + gap;
  }
  straighten(layers, cells, across);
  const lowest = Math.min(0, ...across.values());
  const point = (forward: number, side: number): Point =>
    isRight ? { x: forward, y: side - lowest } : { x: side - lowest, y: forward };
  const places = new Map<string, Point>();
  for (const [id, cell] of cells) if (!cell.isLane) places.set(id, point(along.get(id) ?? 0, across.get(id) ?? 0));
  const lines = new Map<string, readonly Point[]>();
  for (const [key, way] of ways) {
    const last = way.length - 1;
    const points = way.map((id, index) => {
      const cell = cells.get(id);
      const forward = (along.get(id) ?? 0) + (index === 0 ? (cell?.along ?? 0) : 0);
      return point(index === last ? (along.get(id) ?? 0) : forward, (across.get(id) ?? 0) + (cell?.across ?? 0) / 2);
    });
    lines.set(key, points);
  }
  const far = Math.max(0, ...[...cells].map(([id, cell]) => (across.get(id) ?? 0) + cell.across)) - lowest;
  const deep = Math.max(0, front - gap);
  return { places, lines, ...(isRight ? { width: deep, height: far } : { width: far, height: deep }) };
}

/** Pulls cells towards the middle of their neighbours, as far as the cells beside them let them. */
function straighten(
  layers: readonly (readonly string[])[],
  cells: ReadonlyMap<string, Cell>,
  across: Map<string, number>,
): void {
  const middleOf = (id: string): number => (across.get(id) ?? 0) + (cells.get(id)?.across ?? 0) / 2;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const order = sweep % 2 === 0 ? layers : layers.toReversed();
    for (const layer of order) {
      layer.forEach((id, index) => {
        const cell = cells.get(id);
        if (cell === undefined) return;
        const neighbours = sweep % 2 === 0 ? cell.before : cell.behind;
        if (neighbours.length === 0) return;
        const wanted = neighbours.reduce((sum, each) => sum + middleOf(each), 0) / neighbours.length - cell.across / 2;
        const [previous, next] = [layer[index - 1], layer[index + 1]];
        const from =
          previous === undefined
            ? Number.NEGATIVE_INFINITY
            : (across.get(previous) ?? 0) + (cells.get(previous)?.across ?? 0) + BOX_GAP;
        const to = next === undefined ? Number.POSITIVE_INFINITY : (across.get(next) ?? 0) - cell.across - BOX_GAP;
        across.set(id, Math.min(Math.max(wanted, from), Math.max(to, from)));
      });
    }
  }
}
