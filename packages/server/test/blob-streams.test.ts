import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { assertLinux } from "../../../test/support/assert-linux.ts";
import { countStrayIn } from "../../stores/test/support/stray-parts.ts";
import { type DemoServer, startDemo } from "./support/start-demo.ts";

const MEBIBYTE = 1_048_576;

/** The mebibyte at a place of a file that is like no other file. */
function mebibyteOf(seed: number, place: number): Uint8Array {
  const bytes = new Uint8Array(MEBIBYTE).fill(seed);
  new DataView(bytes.buffer).setUint32(0, place);
  return bytes;
}

/** So many mebibytes as they are needed, and the id of what was sent. */
function fileOf(mebibytes: number, seed: number) {
  const hash = createHash("sha256");
  let made = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (made === mebibytes) return controller.close();
      const piece = mebibyteOf(seed, made);
      hash.update(piece);
      made += 1;
      controller.enqueue(piece);
    },
  });
  return { body, id: () => hash.digest("hex") };
}

describe("large files through a server that is a process, on SQLite", () => {
  let demo: DemoServer | undefined;
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "reprise-test-"));
  const file = join(folder, "demo.db");
  beforeAll(async () => {
    demo = await startDemo(file);
  });
  afterAll(async () => {
    await demo?.kill();
    rmSync(folder, { recursive: true });
  });
  const url = (): string => `${demo?.url}/v1/blobs`;

  const upload = async (mebibytes: number, seed: number): Promise<string> => {
    const { body, id } = fileOf(mebibytes, seed);
    // The types of the platform lack `duplex`, which it demands of a body that streams.
    const sent = await fetch(url(), { method: "POST", body, duplex: "half" } as RequestInit);
    const sha256 = id();
    expect([sent.status, await sent.json()]).toMatchObject([201, { id: sha256, bytes: mebibytes * MEBIBYTE }]);
    return sha256;
  };

  const download = async (id: string): Promise<void> => {
    const hash = createHash("sha256");
    const { body } = await fetch(`${url()}/${id}`);
    for await (const part of body ?? []) hash.update(part);
    expect(hash.digest("hex")).toBe(id);
  };

  /** The most memory the process ever had, in mebibytes. */
  const peak = (): number => {
    const status = readFileSync(`/proc/${demo?.process.pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  };

  it("are not held in memory on their way in and out", async (context) => {
    assertLinux(context);
    // Until caches are full and garbage is collected as fast as it comes to be, memory grows with whatever is done.
    for (let round = 1; round <= 10; round += 1) await download(await upload(4, round));
    const before = peak();
    await download(await upload(64, 100));
    expect(peak() - before).toBeLessThan(40);
  });

  it("leave nothing when their client goes away in the middle", async () => {
    const socket = connect(Number(new URL(url()).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(`POST /v1/blobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${8 * MEBIBYTE}\r\n\r\n`);
    for (let place = 0; place < 3; place += 1) socket.write(mebibyteOf(200, place));
    await expect.poll(() => countStrayIn(file), { timeout: 20_000 }).toBeGreaterThan(8);
    socket.destroy();
    await expect.poll(() => countStrayIn(file), { timeout: 20_000 }).toBe(0);
  });

  it("are sent in part, also across the parts they are kept in", async () => {
    const id = await upload(2, 201);
    for (const [first, last] of [
      [MEBIBYTE - 3, MEBIBYTE + 3],
      [2 * MEBIBYTE - 1, 2 * MEBIBYTE - 1],
    ] as const) {
      const part = await fetch(`${url()}/${id}`, { headers: { range: `bytes=${first}-${last}` } });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes ${first}-${last}/${2 * MEBIBYTE}`]);
      const whole = Buffer.concat([mebibyteOf(201, 0), mebibyteOf(201, 1)]);
      expect(Buffer.compare(Buffer.from(await part.arrayBuffer()), whole.subarray(first, last + 1))).toBe(0);
    }
  });
});
