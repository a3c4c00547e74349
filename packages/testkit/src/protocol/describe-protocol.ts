import type { AgentEvent } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { loadScenes, type ProtocolScene } from "./protocol-scene.ts";

/** What every encoder of a protocol can do. One is one stream. */
export interface ProtocolEncoder {
  /** The frames of an event, joined. */
  encode(event: AgentEvent, cursor: string): string;
  /** Takes in an event the client already has. */
  skip(event: AgentEvent): void;
  /** What is left to say when no more events come. */
  end(): string;
}

export interface ProtocolSuite {
  open(): ProtocolEncoder;
  /** Throws, or rejects, when a client would not take the whole of a stream. */
  assertValid(frames: string, scene: ProtocolScene): void | Promise<void>;
  /** Where the golden files are, one a scene; a folder with a slash at the end. None are kept without one. */
  readonly golden?: string;
  /** Whether a scene has a golden file; all have, unless given. For protocols that have nothing to say of most runs. */
  readonly keepsGolden?: (scene: ProtocolScene) => boolean;
  /** How a golden file ends: `.sse`, `.jsonl`, … */
  readonly extension?: string;
}

/**
 * The laws of a protocol, tried on every recorded run:
 * - the frames are those of the golden file;
 * - a client takes them;
 * - a stream that is taken up after any event continues as it would have;
 * - behind its end a stream is silent.
 */
export function describeProtocol(name: string, factory: () => ProtocolSuite): void {
  const scenes = loadScenes();
  describe(`${name} over the recorded runs`, () => {
    it("has something to go by", () => expect(scenes.length).toBeGreaterThan(20));

    describe.each(scenes)("$name", (scene) => {
      const suite = factory();
      const { golden, extension = ".txt", keepsGolden = () => true } = suite;
      if (golden !== undefined && keepsGolden(scene)) {
        it("gives the frames of its golden file", async () => {
          await expect(encodeScene(suite, scene).join("")).toMatchFileSnapshot(`${golden}${scene.name}${extension}`);
        });
      }

      it("is taken by a client", async () => {
        await suite.assertValid(encodeScene(suite, scene).join(""), scene);
      });

      it("continues after any event as if the client had never disconnected", () => {
        const whole = encodeScene(suite, scene);
        for (const at of scene.events.keys()) {
          expect(encodeScene(suite, scene, at).join(""), `after event ${at}`).toBe(whole.slice(at).join(""));
        }
      });

      // A run that waits may continue.
      if (isWaiting(scene)) return;
      it("is silent behind its end", () => {
        const encoder = suite.open();
        for (const { event, cursor } of scene.events) encoder.encode(event, cursor);
        encoder.end();
        for (const { event, cursor } of scene.events) expect(encoder.encode(event, cursor)).toBe("");
      });
    });
  });
}

/** The frames of each event of a scene from some event on, and of its end. */
export function encodeScene(
  suite: Pick<ProtocolSuite, "open">,
  { events }: ProtocolScene,
  from = 0,
): readonly string[] {
  const encoder = suite.open();
  for (const { event } of events.slice(0, from)) encoder.skip(event);
  const frames = events.slice(from).map(({ event, cursor }) => encoder.encode(event, cursor));
  return [...frames, encoder.end()];
}

function isWaiting({ events }: ProtocolScene): boolean {
  const last = events.at(-1)?.event;
  return last?.type === "run_finish" && last.data.termination.type === "suspended";
}
