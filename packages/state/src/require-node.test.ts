import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { explainOldNode } from "./require-node.ts";

const PRETEND_NODE_20 =
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})";

describe("importing on an old Node", () => {
  it("fails with the version found and the version needed", () => {
    const entry = new URL("./index.ts", import.meta.url).href;
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", PRETEND_NODE_20, "--input-type=module", "--eval", `import ${JSON.stringify(entry)}`],
      { encoding: "utf8" },
    );
    expect(status).toBe(1);
    expect(stderr).toContain("Reprise needs Node 22.18 or newer; this is 20.20.2.");
  });

  it.each(["22.18.0", "22.19.1", "23.0.0", "24.21.0"])("accepts Node %s", (version) => {
    expect(explainOldNode(version)).toBeUndefined();
  });

  it.each(["18.20.0", "20.20.2", "22.17.9"])("refuses Node %s", (version) => {
    expect(explainOldNode(version)).toContain(version);
  });
});
