import { readMeasured } from "./measured-points.ts";
import { reportSimulation } from "./report.ts";

process.stdout.write(`${reportSimulation(readMeasured())}\n`);
