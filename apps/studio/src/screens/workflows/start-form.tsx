import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { ask } from "../../api/connection.ts";
import { queryClient } from "../../api/queries.ts";
import type { Workflow } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { pretty } from "../../parts/format.ts";
import { ErrorNote } from "../../parts/notice.tsx";

/** An input as the document describes it. */
interface Input {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly validation?: { readonly enum?: readonly unknown[]; readonly min?: number; readonly max?: number };
}

const FIELD = "rounded-md border border-line-strong bg-ground px-2 text-ink";

/** The inputs of a workflow as a form. The server checks them; what was typed stays when it refuses. */
export function StartForm({ workflow }: { readonly workflow: Workflow }): ReactNode {
  // As documents describe them, which the server has checked.
  const inputs = workflow.inputs as unknown as readonly Input[];
  const navigate = useNavigate();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(inputs.map((input) => [input.name, input.default === undefined ? "" : pretty(input.default)])),
  );
  const [problem, setProblem] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const start = async (): Promise<void> => {
    setProblem(undefined);
    setSending(true);
    try {
      const values = Object.fromEntries(
        inputs.flatMap((input) => {
          const text = texts[input.name] ?? "";
          return text === "" ? [] : [[input.name, readInput(input, text)]];
        }),
      );
      const path = `v1/workflows/${encodeURIComponent(workflow.id)}/runs`;
      const { run_id } = await (await ask(path, { json: { inputs: values } })).json();
      void queryClient.invalidateQueries({ queryKey: ["workflow-runs"] });
      await navigate({ to: "/workflow-runs/$runId", params: { runId: run_id } });
    } catch (error) {
      setProblem(error);
      setSending(false);
    }
  };
  return (
    <form
      aria-label="Start a run"
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <h2 className="font-semibold">Start a run</h2>
      {inputs.length === 0 && <p className="text-sm text-faint">It takes no inputs.</p>}
      {inputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          text={texts[input.name] ?? ""}
          set={(text) => setTexts((before) => ({ ...before, [input.name]: text }))}
        />
      ))}
      {problem !== undefined && <ErrorNote error={problem} dismiss={() => setProblem(undefined)} />}
      <Button type="submit" kind="primary" icon="bolt" disabled={isSending} className="self-start">
        Start
      </Button>
    </form>
  );
}

/** The value that a text stands for. */
function readInput({ name, type }: Input, text: string): unknown {
  if (type === "number") return Number(text);
  if (type === "boolean") return text === "true";
  if (type !== "json") return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} must be JSON. ${error instanceof Error ? error.message : ""}`);
  }
}

function InputField({
  input,
  text,
  set,
}: {
  readonly input: Input;
  readonly text: string;
  readonly set: (text: string) => void;
}): ReactNode {
  const { name, type, description, required = false, validation = {} } = input;
  const id = useId();
  const label = (
    <label htmlFor={id} className="flex items-baseline gap-2">
      <span className="font-mono text-sm font-medium text-ink">{name}</span>
      <span className="text-xs text-faint">
        {type.replaceAll("_", " ")}
        {required && ", needed"}
      </span>
    </label>
  );
  const about =
    type === "secret"
      ? `${description ?? ""} Give the name of the server's variable that holds it.`.trim()
      : description;
  return (
    <div className="flex flex-col gap-1">
      {label}
      {validation.enum !== undefined ? (
        <select id={id} value={text} onChange={(event) => set(event.target.value)} className={`${FIELD} h-8`}>
          {!required && <option value="">–</option>}
          {validation.enum.map((value) => (
            <option key={String(value)} value={String(value)}>
              {String(value)}
            </option>
          ))}
        </select>
      ) : type === "boolean" ? (
        <select id={id} value={text} onChange={(event) => set(event.target.value)} className={`${FIELD} h-8`}>
          <option value="">–</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : type === "json" || type === "code_diff" ? (
        <textarea
          id={id}
          value={text}
          rows={4}
          spellCheck={false}
          onChange={(event) => set(event.target.value)}
          className={`${FIELD} py-1.5 font-mono text-xs leading-5`}
        />
      ) : (
        <input
          id={id}
          type={type === "number" ? "number" : "text"}
          value={text}
          min={validation.min}
          max={validation.max}
          step="any"
          onChange={(event) => set(event.target.value)}
          className={`${FIELD} h-8`}
        />
      )}
      {about !== undefined && about !== "" && <span className="text-xs text-faint">{about}</span>}
    </div>
  );
}
