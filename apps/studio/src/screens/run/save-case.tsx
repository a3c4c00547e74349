import { type FormEvent, type ReactNode, useState } from "react";
import { answerOf, client } from "../../api/requests.ts";
import { saveBlob } from "../../api/save-file.ts";
import type { EvalCase } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { formatBytes } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/notice.tsx";

/** A case as a file. */
interface MadeCase {
  readonly evalCase: EvalCase;
  readonly file: Blob;
}

/** Makes a case of a run, says what was taken out of it, and saves it as a file. Nothing is kept on the server. */
export function SaveCase({ runId, close }: { readonly runId: string; readonly close: () => void }): ReactNode {
  const [made, setMade] = useState<MadeCase>();
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [id, setId] = useState("");
  const [texts, setTexts] = useState("");
  const [fields, setFields] = useState("");
  const make = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(undefined);
    setBusy(true);
    try {
      const body = {
        ...(id.trim() !== "" && { id: id.trim() }),
        redact: { texts: linesOf(texts), fields: linesOf(fields) },
      };
      const evalCase = await answerOf(client.POST("/v1/runs/{id}/case", { params: { path: { id: runId } }, body }));
      const text = `${JSON.stringify(evalCase, null, 2)}\n`;
      setMade({ evalCase, file: new Blob([text], { type: "application/json" }) });
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title="Save as case" close={close}>
      {made === undefined ? (
        <form onSubmit={(event) => void make(event)} className="flex flex-col gap-4">
          <p className="text-faint">
            A case is this run as a test: a file for git, without email addresses, numbers of cards and phones, and
            secrets.
          </p>
          <label className="flex flex-col gap-1 text-sm font-medium">
            Name
            <input
              value={id}
              onChange={(event) => setId(event.target.value)}
              pattern="[A-Za-z0-9_.\-]+"
              title="Letters, digits, _, - and ."
              placeholder="refund-small"
              className="h-8 rounded-md border border-line bg-ground px-2 font-normal"
            />
          </label>
          <Lines label="Texts to take out too, one a line" placeholder="Ada Lovelace" value={texts} set={setTexts} />
          <Lines
            label="Fields whose values to take out, one a line"
            placeholder="address"
            value={fields}
            set={setFields}
          />
          {problem !== undefined && <ErrorNote error={problem} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" type="submit" disabled={isBusy}>
              {isBusy ? "Making the case…" : "Make the case"}
            </Button>
          </div>
        </form>
      ) : (
        <Made made={made} back={() => setMade(undefined)} close={close} />
      )}
    </Dialog>
  );
}

function Lines({
  label,
  placeholder,
  value,
  set,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly set: (value: string) => void;
}): ReactNode {
  return (
    <label className="flex flex-col gap-1 text-sm font-medium">
      {label}
      <textarea
        rows={2}
        value={value}
        onChange={(event) => set(event.target.value)}
        placeholder={placeholder}
        className="rounded-md border border-line bg-ground px-2 py-1.5 font-normal"
      />
    </label>
  );
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function Made({
  made: { evalCase, file },
  back,
  close,
}: {
  readonly made: MadeCase;
  readonly back: () => void;
  readonly close: () => void;
}): ReactNode {
  const { id, source, redaction } = evalCase;
  const name = `${id}.case.json`;
  const replaced = Object.entries(redaction.replaced);
  return (
    <div className="flex flex-col gap-4">
      <p>
        <span className="font-mono text-sm break-all">{name}</span>
        <span className="text-faint">
          {" "}
          · {source.steps === 1 ? "1 step" : `${source.steps} steps`} · {formatBytes(file.size)}
        </span>
      </p>
      <section aria-label="Taken out" className="flex flex-col gap-1.5">
        <h3 className="text-sm font-semibold">Taken out</h3>
        {replaced.length === 0 ? (
          <p className="text-sm text-faint">Nothing: no rule found anything in this run.</p>
        ) : (
          <ul className="flex flex-col gap-1 text-sm">
            {replaced.map(([rule, count]) => (
              <li key={rule} className="flex items-center gap-1.5">
                <Icon name="shield" size={13} className="text-good" />
                {sayReplaced(rule, count)}
              </li>
            ))}
          </ul>
        )}
      </section>
      {redaction.unverifiable !== undefined && (
        <p className="flex gap-2 rounded-lg bg-wait-ground px-3 py-2 text-sm text-wait">
          <Icon name="warning" className="mt-0.5" />
          It cannot be verified, because {redaction.unverifiable}. The other modes can play it.
        </p>
      )}
      <p className="text-sm text-faint">
        Names of people are not known to any rule: read the file before you commit it. Play it with{" "}
        <code className="font-mono">reprise eval</code>.
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={back}>Take out more</Button>
        <Button
          kind="primary"
          icon="download"
          onClick={() => {
            saveBlob(file, name);
            close();
          }}
        >
          Download
        </Button>
      </div>
    </div>
  );
}

/** The rules in words, for one and for several. */
const RULES: Readonly<Record<string, readonly [one: string, several: string]>> = {
  email: ["email address", "email addresses"],
  iban: ["bank account", "bank accounts"],
  card: ["card number", "card numbers"],
  phone: ["phone number", "phone numbers"],
  credential: ["credential", "credentials"],
  field: ["secret or named text", "secrets and named texts"],
};

function sayReplaced(rule: string, count: number): string {
  const [one, several] = RULES[rule] ?? [rule, rule];
  return `${count} ${count === 1 ? one : several}`;
}
