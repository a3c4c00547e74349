import { useAgent, useFrontendTool } from "@copilotkit/react-core/v2";
import { useState } from "react";

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
    <section aria-label="Canvas" style={{ padding: 24, fontSize: 16 * zoom }}>
      <p>Zoom {zoom}</p>
      <ul>
        {shapes.map((shape, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: shapes are only ever added.
          <li key={index}>{shape}</li>
        ))}
      </ul>
      <button type="button" onClick={() => agent.setState({ ...agent.state, shapes: [...shapes, "square"] })}>
        Draw a square
      </button>
    </section>
  );
}
