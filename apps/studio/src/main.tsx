import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/queries.ts";
import { router } from "./frame/routes.tsx";
import "./styles.css";

// Its address is relative to that of the page, which changes.
for (const link of document.querySelectorAll("link")) link.setAttribute("href", link.href);

const place = document.getElementById("studio");
if (place !== null)
  createRoot(place).render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
