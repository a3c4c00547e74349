// A shopping list you can take back to any moment. Try: add milk, done 1, history, goto 1, rollback 1
import { createInterface } from "node:readline/promises";
import { execute } from "./session.ts";

const DEMONSTRATION = ["add milk", "add bread", "tag weekend", "done 1", "history", "goto 2"];

const isPerson = process.stdin.isTTY === true;
const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: isPerson });

console.log("Reprise: every change below is a patch, and every past state can be rebuilt from them.\n");
if (isPerson) {
  demonstrate();
  console.log("\nYour turn; help shows the commands.");
  terminal.prompt();
}
let answered = 0;
for await (const line of terminal) {
  answered++;
  if (!isPerson) console.log(`> ${line}`);
  const output = execute(line);
  if (output === undefined) break;
  console.log(output);
  if (isPerson) terminal.prompt();
}
if (!isPerson && answered === 0) demonstrate();
terminal.close();

function demonstrate(): void {
  for (const line of DEMONSTRATION) console.log(`> ${line}\n${execute(line)}`);
}
