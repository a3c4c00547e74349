import { startProcess } from "./start-process.ts";

// What `npm start` in the repository runs: the demonstration, served. Arguments go to `serve`.
await startProcess(["serve", "--demo", ...process.argv.slice(2)]);
