import type { Plant } from "./plant.ts";

export const forgetAnnouncement: Plant = {
  story: "A node calls a tool that may not be repeated before it is stored that it does.",
  breaks: "I12",
  faults: { kill: 8 },
  workflows: true,
  changes: [
    {
      file: "packages/workflow/src/run/workflow-run.ts",
      from: "    this.book.write(task.path, { ...record, calls: [...(record.calls ?? []), call] });",
      to: "    this.book.write(task.path, { ...record, calls: record.calls ?? [] });",
    },
  ],
};
