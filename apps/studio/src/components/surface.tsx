import { createContext, type ReactNode, useContext, useId, useMemo, useState } from "react";
import { fieldsOf } from "../log/block.ts";
import { placeAt, readSurface, readValue, resolvePath, type ShownSurface, valueAt } from "../log/read-surface.ts";
import { Button } from "../parts/button.tsx";
import { classNames } from "../parts/class-names.ts";
import { Icon } from "../parts/icon.tsx";
import { Attachment } from "./attachment.tsx";

interface SurfaceProps {
  readonly surfaceId: string;
  readonly operations: readonly unknown[];
  /** Sends what the person did, as the message of an A2UI client. Without it the surface is only shown. */
  readonly send?: ((text: string) => void) | undefined;
}

interface Shown extends ShownSurface {
  readonly change: (path: string, value: unknown) => void;
  readonly act: (componentId: string, action: unknown, scope: string) => void;
  readonly canAct: boolean;
}

const Context = createContext<Shown>({
  components: new Map(),
  data: {},
  change: () => undefined,
  act: () => undefined,
  canAct: false,
});

/** A user interface that an agent described in A2UI, made of the parts of the studio. Text in it stays text. */
export function Surface({ surfaceId, operations, send }: SurfaceProps): ReactNode {
  const surface = useMemo(() => readSurface(operations), [operations]);
  const [edited, setEdited] = useState<{ readonly of: unknown; readonly data: unknown }>();
  if (surface === undefined) return null;
  const data = edited?.of === surface ? edited.data : surface.data;
  const act: Shown["act"] = (sourceComponentId, action, scope) => {
    const { name, context } = fieldsOf(fieldsOf(action).event);
    if (typeof name !== "string") return;
    const values = Object.entries(fieldsOf(context)).map(([key, value]) => [
      key,
      readValue(value, data, scope) ?? null,
    ]);
    const done = {
      name,
      surfaceId,
      sourceComponentId,
      timestamp: new Date().toISOString(),
      context: Object.fromEntries(values),
    };
    send?.(JSON.stringify({ version: "v0.9", action: done }));
  };
  const shown: Shown = {
    components: surface.components,
    data,
    change: (path, value) => setEdited({ of: surface, data: placeAt(data, path, value) }),
    act,
    canAct: send !== undefined,
  };
  return (
    <Context value={shown}>
      <section aria-label={`Surface ${surfaceId}`} className="flex max-w-lg flex-col gap-3">
        <Component id="root" scope="" depth={0} />
      </section>
    </Context>
  );
}

/** Agents cannot nest components without end: the plugin refuses cycles, and so does this. */
const DEEPEST = 40;
const GAPS = "flex gap-3";
const FIELD = "h-9 w-full rounded-md border border-line-strong bg-ground px-2.5 text-ink disabled:opacity-60";

interface PartProps {
  readonly id: string;
  readonly scope: string;
  readonly depth: number;
}

function Component({ id, scope, depth }: PartProps): ReactNode {
  const { components } = useContext(Context);
  const fields = components.get(id);
  if (fields === undefined || depth > DEEPEST) return null;
  return <Part fields={fields} id={id} scope={scope} depth={depth + 1} />;
}

function Part({
  fields,
  id,
  scope,
  depth,
}: PartProps & { readonly fields: Readonly<Record<string, unknown>> }): ReactNode {
  const { data, act, canAct, components } = useContext(Context);
  const text = (value: unknown): string => textOf(readValue(value, data, scope));
  const child = (of: unknown): ReactNode => <Component id={String(of)} scope={scope} depth={depth} />;
  const children = <Children of={fields.children} scope={scope} depth={depth} />;
  switch (fields.component) {
    case "Text":
      return <Words text={text(fields.text)} variant={String(fields.variant ?? "body")} />;
    case "Image":
    case "Video":
    case "AudioPlayer":
      return (
        <Attachment
          file={{
            url: text(fields.url),
            mediaType: fields.component === "Image" ? "image/*" : "",
            name: text(fields.description) || `${String(fields.component)} ${text(fields.url).slice(0, 80)}`,
          }}
        />
      );
    case "Icon":
      return <span className="text-sm text-faint">{text(fields.name)}</span>;
    case "Row":
      return <div className={classNames(GAPS, "flex-wrap items-center [&>*]:min-w-0 [&>*]:flex-1")}>{children}</div>;
    case "Column":
      return <div className={classNames(GAPS, "flex-col items-stretch")}>{children}</div>;
    case "List":
      return (
        <div className={classNames(GAPS, fields.direction === "horizontal" ? "overflow-x-auto" : "flex-col")}>
          {children}
        </div>
      );
    case "Card":
      return <div className="rounded-lg border border-line bg-ground p-4 shadow-pop">{child(fields.child)}</div>;
    case "Tabs":
      return <TabList tabs={fields.tabs} scope={scope} depth={depth} />;
    case "Modal":
      return (
        <details>
          <summary className="inline-flex cursor-pointer rounded-md border border-line-strong px-3 py-1 font-medium hover:bg-hover">
            {labelOf(components, fields.trigger, text)}
          </summary>
          <div className="mt-2 rounded-lg border border-line p-3">{child(fields.content)}</div>
        </details>
      );
    case "Divider":
      return <hr className="border-line" />;
    case "Button":
      return (
        <Button
          kind={fields.variant === "primary" ? "primary" : fields.variant === "borderless" ? "quiet" : "plain"}
          disabled={!canAct}
          className="self-start"
          onClick={() => act(id, fields.action, scope)}
        >
          {labelOf(components, fields.child, text) || id}
        </Button>
      );
    case "TextField":
    case "DateTimeInput":
    case "Slider":
    case "CheckBox":
    case "ChoicePicker":
      return <Field fields={fields} scope={scope} text={text} />;
    default:
      return (
        <p className="flex items-center gap-1.5 text-sm text-faint">
          <Icon name="warning" size={13} />
          The studio cannot show the component {String(fields.component)}.
        </p>
      );
  }
}

/** The words of a button: of the text below it. */
function labelOf(components: Shown["components"], id: unknown, text: (value: unknown) => string): string {
  const fields = components.get(String(id));
  return fields?.component === "Text" ? text(fields.text) : text(fields?.name);
}

function Words({ text, variant }: { readonly text: string; readonly variant: string }): ReactNode {
  if (/^h[1-5]$/.test(variant))
    return (
      <h3 className={classNames("font-semibold break-words", variant === "h1" || variant === "h2" ? "text-lg" : "")}>
        {text}
      </h3>
    );
  return (
    <p className={classNames("break-words whitespace-pre-wrap", variant === "caption" && "text-sm text-faint")}>
      {text}
    </p>
  );
}

/** Children by their ids, or one for each item of a list in the data. */
function Children({
  of,
  scope,
  depth,
}: {
  readonly of: unknown;
  readonly scope: string;
  readonly depth: number;
}): ReactNode {
  const { data } = useContext(Context);
  if (Array.isArray(of))
    return of.map((id) => <Component key={String(id)} id={String(id)} scope={scope} depth={depth} />);
  const { componentId, path } = fieldsOf(of);
  if (typeof componentId !== "string" || typeof path !== "string") return null;
  const list = resolvePath(path, scope);
  return Object.keys(fieldsOf(valueAt(data, list))).map((key) => (
    <Component key={key} id={componentId} scope={`${list}/${key}`} depth={depth} />
  ));
}

function TabList({
  tabs,
  scope,
  depth,
}: {
  readonly tabs: unknown;
  readonly scope: string;
  readonly depth: number;
}): ReactNode {
  const { data } = useContext(Context);
  const [chosen, setChosen] = useState(0);
  const list = Array.isArray(tabs) ? tabs.map(fieldsOf) : [];
  return (
    <div className="flex flex-col gap-3">
      <div role="group" aria-label="Tabs" className="flex gap-1 border-b border-line">
        {list.map(({ title, child }, at) => (
          <button
            key={String(child)}
            type="button"
            aria-pressed={at === chosen}
            onClick={() => setChosen(at)}
            className="border-b-2 border-transparent px-2.5 py-1.5 text-sm font-medium text-faint aria-pressed:border-accent aria-pressed:text-ink"
          >
            {textOf(readValue(title, data, scope))}
          </button>
        ))}
      </div>
      <Component id={String(list[chosen]?.child)} scope={scope} depth={depth} />
    </div>
  );
}

function Field({
  fields,
  scope,
  text,
}: {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly scope: string;
  readonly text: (value: unknown) => string;
}): ReactNode {
  const { data, change, canAct } = useContext(Context);
  const fieldId = useId();
  const { component, variant, value } = fields;
  const { path } = fieldsOf(value);
  const set = (next: unknown): void => {
    if (typeof path === "string") change(resolvePath(path, scope), next);
  };
  const now = readValue(value, data, scope);
  const disabled = !canAct || typeof path !== "string";
  const label = text(fields.label) || (component === "DateTimeInput" ? "Date" : "Value");
  if (component === "CheckBox")
    return (
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={now === true}
          disabled={disabled}
          onChange={(event) => set(event.target.checked)}
          className="accent-accent"
        />
        {label}
      </label>
    );
  if (component === "ChoicePicker") {
    const isSingle = variant === "mutuallyExclusive";
    const options = Array.isArray(fields.options) ? fields.options.map(fieldsOf) : [];
    const chosen = Array.isArray(now) ? now.map(String) : [];
    return (
      <fieldset className="flex flex-col gap-1.5" disabled={disabled}>
        <legend className="mb-1 text-sm text-faint">{label}</legend>
        {options.map((option) => {
          const key = String(option.value);
          const isChosen = chosen.includes(key);
          const rest = chosen.filter((each) => each !== key);
          return (
            <label key={key} className="flex items-center gap-2">
              <input
                type={isSingle ? "radio" : "checkbox"}
                checked={isChosen}
                onChange={() => set(isSingle ? [key] : isChosen ? rest : [...rest, key])}
                className="accent-accent"
              />
              {text(option.label)}
            </label>
          );
        })}
      </fieldset>
    );
  }
  const shared = { id: fieldId, disabled, value: textOf(now) };
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={fieldId} className="text-sm text-faint">
        {label}
        {component === "Slider" && `: ${textOf(now)}`}
      </label>
      {component === "Slider" ? (
        <input
          type="range"
          {...shared}
          min={Number(fields.min ?? 0)}
          max={Number(fields.max ?? 100)}
          onChange={(event) => set(Number(event.target.value))}
          className="h-9 accent-accent"
        />
      ) : variant === "longText" ? (
        <textarea
          {...shared}
          rows={3}
          onChange={(event) => set(event.target.value)}
          className={classNames(FIELD, "h-auto py-1.5")}
        />
      ) : (
        <input type={typeOf(fields)} {...shared} onChange={(event) => set(event.target.value)} className={FIELD} />
      )}
    </div>
  );
}

function typeOf({ component, variant, enableDate, enableTime }: Readonly<Record<string, unknown>>): string {
  if (component === "DateTimeInput")
    return enableTime === true ? (enableDate === true ? "datetime-local" : "time") : "date";
  return variant === "number" ? "number" : variant === "obscured" ? "password" : "text";
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
