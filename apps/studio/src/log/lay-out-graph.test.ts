import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GraphBox, type GraphDirection, layOutGraph, lineKey } from "./lay-out-graph.ts";

const box = (id: string, ...after: readonly string[]): GraphBox => ({ id, width: 100, height: 40, after });

describe("the layout of a graph", () => {
  it("puts a box behind those it comes after, and side by side those that are independent", () => {
    const { places, width, height } = layOutGraph(
      [box("a"), box("b", "a"), box("c", "a"), box("d", "b", "c")],
      "right",
    );
    const x = (id: string): number => places.get(id)?.x ?? -1;
    expect([x("a"), x("b"), x("c"), x("d")]).toEqual([0, 156, 156, 312]);
    expect(places.get("a")?.y).toBe(places.get("d")?.y);
    expect([width, height]).toEqual([412, 100]);
  });

  it("leads a long line around the boxes between", () => {
    const { places, lines } = layOutGraph([box("a"), box("b", "a"), box("c", "a", "b")], "right");
    const [, through] = lines.get(lineKey("a", "c")) ?? [];
    const between = places.get("b");
    expect(through?.x).toBeGreaterThan(100);
    const isInside = (through?.y ?? 0) >= (between?.y ?? 0) && (through?.y ?? 0) <= (between?.y ?? 0) + 40;
    expect(isInside).toBe(false);
  });

  it("never lets two boxes overlap, whatever the graph", () => {
    const graphs = fc
      .array(fc.array(fc.nat({ max: 30 }), { maxLength: 4 }), { minLength: 1, maxLength: 30 })
      .map((lists) =>
        lists.map((list, index) => ({
          ...box(`n${index}`, ...list.filter((other) => other < index).map((other) => `n${other}`)),
          height: 20 + (index % 3) * 30,
        })),
      );
    fc.assert(
      fc.property(graphs, fc.constantFrom<GraphDirection>("right", "down"), (boxes, direction) => {
        const { places, width, height } = layOutGraph(boxes, direction);
        const rectangles = boxes.map(({ id, ...size }) => ({ ...(places.get(id) ?? { x: -1, y: -1 }), ...size }));
        for (const [index, one] of rectangles.entries()) {
          expect(one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height).toBe(true);
          for (const other of rectangles.slice(index + 1)) {
            const isApart =
              one.x + one.width <= other.x ||
              other.x + other.width <= one.x ||
              one.y + one.height <= other.y ||
              other.y + other.height <= one.y;
            expect(isApart).toBe(true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
