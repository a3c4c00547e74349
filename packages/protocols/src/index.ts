export { encodeSseFrame } from "./sse/sse-frame.ts";
