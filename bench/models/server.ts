import { createServer } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { framesOf } from "./answer.ts";

/** A process of its own, so that its work is not counted. The path says how the answer is sent. */
const frames = framesOf();
const whole = frames.join("");

const server = createServer((request, response) => {
  request.resume().once("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (request.url?.startsWith("/at-once/")) response.end(whole);
    else void sendSlowly();
  });

  async function sendSlowly(): Promise<void> {
    for (const frame of frames) {
      response.write(frame);
      await nextTurn();
    }
    response.end();
  }
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.send?.(address.port);
});
process.once("disconnect", () => process.exit());
