import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { moment, pause } from "./agents.ts";
import { answerQuestions } from "./child.ts";

// The least a server could do: writes frames that it is given, one after the other, and joins those of one turn into one write.
const [, , file = ""] = process.argv;
// Written by the benchmark.
const frames = JSON.parse(readFileSync(file, "utf8")) as readonly { readonly id: string; readonly event: object }[];

const http = createServer((request, response) => {
  let body = "";
  request.on("data", (text) => {
    body += text;
  });
  request.on("end", () => {
    const burst = /paced \d+ (\d+)/.exec(body)?.[1];
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    void write(response, burst === undefined ? undefined : Number(burst));
  });
});

async function* produce(burst: number | undefined): AsyncGenerator<(typeof frames)[number]> {
  for (const [index, frame] of frames.entries()) {
    if (burst === undefined) yield frame;
    else {
      if (index % burst === 0) await pause();
      yield { ...frame, event: { ...frame.event, data: { delta: moment() } } };
    }
  }
}

async function write(response: ServerResponse, burst: number | undefined): Promise<void> {
  let joined = "";
  const flush = (): void => {
    if (joined !== "") response.write(joined);
    joined = "";
  };
  for await (const { id, event } of produce(burst)) {
    if (joined === "") setImmediate(flush);
    joined += `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
  }
  flush();
  response.end();
}

// A listening server has an address of this form.
http.listen(0, "127.0.0.1", () => answerQuestions((http.address() as AddressInfo).port));
