import { defineTool, type Tool, type ToolDefinition } from "reprise";
import { z } from "zod";
import type { Ticks } from "./ticks.ts";

interface Bar {
  readonly label: string;
  readonly from: number;
  to: number;
}

const input = z.object({ what: z.string(), ticks: z.number() });
type Input = z.infer<typeof input>;

/** What ran when. */
export class Timeline {
  readonly #ticks: Ticks;
  readonly #start: number;
  readonly #bars: Bar[] = [];

  constructor(ticks: Ticks) {
    this.#ticks = ticks;
    this.#start = ticks.now;
  }

  /** A tool that works for as long as it is told, and is seen doing it. */
  tool(id: string, options: Partial<Pick<ToolDefinition<Input, void>, "class" | "needsApproval">> = {}): Tool<void> {
    return defineTool({
      id,
      description: `Does ${id} for some ticks.`,
      inputSchema: input,
      ...options,
      execute: async ({ what, ticks }) => {
        const bar: Bar = { label: `${id} ${what}`, from: this.#ticks.now, to: this.#ticks.now };
        this.#bars.push(bar);
        await this.#ticks.sleep(ticks);
        bar.to = this.#ticks.now;
      },
    });
  }

  /** One line a call, in the order in which they began. */
  print(): void {
    for (const { label, from, to } of this.#bars) {
      console.log(`  ${label.padEnd(8)}${" ".repeat(from - this.#start)}${"█".repeat(to - from)}`);
    }
  }
}
