import { type ReactNode, useEffect, useRef, useState } from "react";
import { ROOT } from "../api/connection.ts";
import { fieldsOf } from "../log/block.ts";

/** The version of the protocol between a page of an MCP server and the one that shows it. */
const PROTOCOL = "2026-01-26";
const HIGHEST = 600;

interface FramedPageProps {
  readonly tool: string;
  readonly html: string;
  readonly input: unknown;
  readonly result: unknown;
}

/**
 * A page that an MCP server brought for a result, in a frame without an origin: its scripts run, and reach neither the studio nor the
 * network. It is told the arguments and the result of its call, and may ask for a height; everything else it asks for is refused.
 */
export function FramedPage({ tool, html, input, result }: FramedPageProps): ReactNode {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(120);
  useEffect(() => {
    const tell = (message: object): void => frame.current?.contentWindow?.postMessage(message, "*");
    const notify = (method: string, params: object): void => tell({ jsonrpc: "2.0", method, params });
    const onMessage = ({ source, data }: MessageEvent<unknown>): void => {
      if (source === null || source !== frame.current?.contentWindow) return;
      const { frame: word, jsonrpc, id, method, params } = fieldsOf(data);
      if (word === "ready") return tell({ html });
      if (jsonrpc !== "2.0") return;
      if (method === "ui/initialize")
        return tell({
          jsonrpc,
          id,
          result: {
            protocolVersion: PROTOCOL,
            hostInfo: { name: "reprise-studio", version: "0.1.0" },
            hostCapabilities: {},
            hostContext: { displayMode: "inline" },
          },
        });
      if (method === "ui/notifications/initialized") {
        notify("ui/notifications/tool-input", { arguments: input });
        const text = typeof result === "string" ? result : JSON.stringify(result);
        return notify("ui/notifications/tool-result", {
          content: [{ type: "text", text }],
          ...(typeof result === "object" && result !== null && { structuredContent: result }),
        });
      }
      if (method === "ui/notifications/size-changed") {
        const wanted = Number(fieldsOf(params).height);
        if (Number.isFinite(wanted)) setHeight(Math.max(40, Math.min(HIGHEST, Math.ceil(wanted))));
      } else if (id !== undefined && method !== undefined)
        tell({ jsonrpc, id, error: { code: -32_601, message: `The studio does not do ${String(method)}.` } });
    };
    addEventListener("message", onMessage);
    return () => removeEventListener("message", onMessage);
  }, [html, input, result]);
  return (
    <iframe
      ref={frame}
      title={`Page of ${tool}`}
      src={new URL("frame", ROOT).href}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      height={height}
      className="block w-full border-t border-line bg-white"
    />
  );
}
