import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./style.css";

const root = document.getElementById("root");
// Not in strict mode: it mounts everything twice, and each mount would attach to the message under way.
if (root !== null) createRoot(root).render(<App />);
