import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface ChartLine {
  readonly label: string;
  readonly colour: "accent" | "run" | "wait" | "bad" | "good";
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** What it shows, for those who cannot see it. */
  readonly label: string;
  /** Seconds since 1970, or plain positions when `isTime` is false. */
  readonly positions: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly format: (value: number) => string;
  readonly formatPosition?: (position: number) => string;
  readonly isTime?: boolean;
  readonly isBars?: boolean;
  readonly height?: number;
}

/** Lines or bars over time. The colours are those of the theme, and change with it. */
export function Chart(props: ChartProps): ReactNode {
  const theme = useSyncExternalStore(watchTheme, readTheme);
  return <DrawnChart key={theme} {...props} />;
}

function DrawnChart(props: ChartProps): ReactNode {
  const { label, positions, lines, format, formatPosition, isTime = true, isBars = false, height = 180 } = props;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const colour = (name: string): string => resolveColour(current, name);
    const axis = {
      stroke: colour("faint"),
      grid: { stroke: colour("line"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui, sans-serif",
    };
    const chart = new uPlot(
      {
        width: current.clientWidth,
        height,
        legend: { show: lines.length > 1 },
        cursor: { y: false, points: { size: 6 } },
        scales: {
          x: { time: isTime, range: (_, min, max) => rangeOf(min, max, isTime, isBars) },
          y: { range: (_, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
        },
        axes: [
          {
            ...axis,
            ...(formatPosition !== undefined && {
              values: (_: uPlot, values: number[]) => values.map((value) => formatPosition(value)),
            }),
          },
          { ...axis, size: 64, values: (_, values) => values.map((value) => format(value)) },
        ],
        series: [
          {
            ...(formatPosition !== undefined && {
              value: (_: uPlot, value: number | null) => (value === null ? "" : formatPosition(value)),
            }),
          },
          ...lines.map(({ label: name, colour: own }) => ({
            label: name,
            stroke: colour(own),
            width: 1.5,
            points: { show: positions.length < 3 && !isBars },
            ...(isBars && { fill: colour(own), paths: uPlot.paths.bars?.({ size: [0.7, 24] }) }),
            value: (_: uPlot, value: number | null) => (value === null ? "–" : format(value)),
          })),
        ],
      } as uPlot.Options,
      [[...positions], ...lines.map(({ values }) => values.map((value) => (isBars && value === 0 ? null : value)))],
      current,
    );
    const watch = new ResizeObserver(() => chart.setSize({ width: current.clientWidth, height }));
    watch.observe(current);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [positions, lines, format, formatPosition, isTime, isBars, height]);
  return <div ref={place} role="img" aria-label={label} className="chart w-full" />;
}

/** Room around a single point, and for half a bar at either end of plain positions. */
function rangeOf(min: number, max: number, isTime: boolean, isBars: boolean): uPlot.Range.MinMax {
  if (!isTime) return isBars ? [min - 0.5, max + 0.5] : [min, max];
  return max - min < 60 ? [max - 60, max] : [min, max];
}

function resolveColour(place: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function watchTheme(listener: () => void): () => void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const watch = new MutationObserver(listener);
  watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  media.addEventListener("change", listener);
  return () => {
    watch.disconnect();
    media.removeEventListener("change", listener);
  };
}

function readTheme(): string {
  return `${document.documentElement.dataset.theme ?? ""} ${matchMedia("(prefers-color-scheme: dark)").matches}`;
}
