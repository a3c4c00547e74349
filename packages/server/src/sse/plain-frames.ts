import type { AgentEvent } from "@reprise/contracts";
import { type CursoredEvent, encodeFrame } from "./encode-frame.ts";
import type { FrameEncoding } from "./frame-encoding.ts";

/**
 * Events as they are, for one stream. Most of them are pieces of one answer, which differ in their number, their time and a few
 * letters: what they share is written once.
 */
export class PlainFrames implements FrameEncoding {
  readonly isOver = false;
  #stepId: string | undefined;
  #before = "";
  #between = "";

  encode(item: CursoredEvent): string {
    const { event } = item;
    if (event.type !== "text_delta" || event.step_id === undefined || event.lineage !== undefined)
      return encodeFrame(item);
    if (event.step_id !== this.#stepId) this.#remember(event);
    const { seq, timestamp_ms, data } = event;
    const delta = JSON.stringify(data.delta);
    return `id: ${item.cursor}\ndata: ${this.#before}${seq},"timestamp_ms":${timestamp_ms}${this.#between}${delta}}}\n\n`;
  }

  end(): string {
    return "";
  }

  #remember({ type, run_id, thread_id, step_id }: AgentEvent): void {
    this.#stepId = step_id;
    this.#before = `${JSON.stringify({ type, run_id, thread_id }).slice(0, -1)},"seq":`;
    this.#between = `,"step_id":${JSON.stringify(step_id)},"data":{"delta":`;
  }
}
