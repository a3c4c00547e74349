// A hook: reads a call from its standard input, and says what is to become of it.
import { readFileSync } from "node:fs";

const { call } = JSON.parse(readFileSync(0, "utf8"));
const { path = "" } = call.arguments;
if (path.startsWith("/etc/")) console.log(JSON.stringify({ decision: "deny", reason: "/etc is off limits" }));
else if (!path.startsWith("/tmp/")) console.log(JSON.stringify({ decision: "ask", reason: `Delete ${path}?` }));
else console.log(JSON.stringify({ decision: "allow" }));
