import { useAgent, useFrontendTool } from "@copilotkit/react-core/v2";
import { type CSSProperties, useState } from "react";

interface Shared {
  readonly shapes?: readonly string[];
}

/** What the agent and the person draw together: the state of the thread. */
export function Canvas() {
  const { agent } = useAgent({ agentId: "default" });
  const [zoom, setZoom] = useState(1);
  const { shapes = [] } = (agent.state ?? {}) as Shared;

  // Runs in this page: the server waits for its result.
  useFrontendTool({
    name: "zoom_in",
    description: "Makes the canvas larger on the user's screen.",
    handler: async () => {
      setZoom((before) => before + 1);
      return "The canvas is larger.";
    },
  });

  return (
    <section className="canvas" aria-label="Canvas">
      <header>
        <h1>Canvas</h1>
        <span>Zoom {zoom}</span>
        <button type="button" onClick={() => agent.setState({ ...agent.state, shapes: [...shapes, "square"] })}>
          Draw a square
        </button>
      </header>
      {shapes.length === 0 && <p>Nothing is drawn. Say “draw”, or draw a square yourself.</p>}
      <ul style={{ "--zoom": zoom } as CSSProperties}>
        {shapes.map((shape, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: shapes are only ever added.
          <li key={index} className={shape}>
            {shape}
          </li>
        ))}
      </ul>
    </section>
  );
}
