import type { Plant } from "./plant.ts";

export const commitWhenIdle: Plant = {
  story: "A workflow run begins nodes before the ends of those before them are stored.",
  breaks: "I12",
  faults: { kill: 6 },
  workflows: true,
  changes: [
    {
      file: "packages/workflow/src/run/workflow-run.ts",
      from: "      await this.book.commit();\n      const news",
      to: "      if (isIdle) await this.book.commit();\n      const news",
    },
    {
      file: "packages/workflow/src/run/flow-nodes.ts",
      from: "    if (this.#flow.book.owes && EFFECTFUL.has(vertex.type)) {",
      to: '    if (this.#flow.book.owes && vertex.id === "") {',
    },
  ],
};
