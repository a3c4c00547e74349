// npm install @reprise/react
import type { OpenDecision, UseApprovals, UseThread } from "@reprise/react";
import type { LibraryState, Source } from "./use-library.ts";

interface LibraryProps {
  readonly library: LibraryState;
  readonly thread: UseThread;
  readonly questions: readonly OpenDecision[];
  readonly decide: UseApprovals["decide"];
}

/** The sources, with the question about a deletion at the source that it is about. */
export function Library({ library, thread, questions, decide }: LibraryProps) {
  const { topic, sources, summary } = library;
  const isIdle = thread.status === "idle" || thread.status === "failed";
  const ask = (text: string): void => void thread.send(text).catch(() => undefined);
  return (
    <main className="library">
      <header>
        <h1>{topic === "" ? "Research library" : `On ${topic}`}</h1>
        <a href="?">Start over</a>
      </header>
      {sources.length === 0 && (
        <section className="empty" aria-label="Topics">
          <p>The library is empty. What shall be researched?</p>
          {["tides", "bees"].map((each) => (
            <button key={each} type="button" disabled={!isIdle} onClick={() => ask(`Research ${each}`)}>
              Research {each}
            </button>
          ))}
        </section>
      )}
      {summary !== "" && (
        <section className="summary" aria-label="Summary">
          <h2>In short</h2>
          <p>{summary}</p>
        </section>
      )}
      <ul className="sources" aria-label="Sources">
        {sources.map((source) => (
          <SourceItem
            key={source.id}
            source={source}
            question={questions.find((each) => isAbout(each, source))}
            decide={decide}
            onDelete={isIdle ? () => ask(`Delete “${source.title}”`) : undefined}
          />
        ))}
      </ul>
    </main>
  );
}

function isAbout({ tool_id, arguments: given }: OpenDecision, { id }: Source): boolean {
  return tool_id === "delete_source" && (given as { readonly id?: unknown }).id === id;
}

interface SourceItemProps {
  readonly source: Source;
  readonly question: OpenDecision | undefined;
  readonly decide: UseApprovals["decide"];
  readonly onDelete: (() => void) | undefined;
}

function SourceItem({ source, question, decide, onDelete }: SourceItemProps) {
  const { title, kind, year, note } = source;
  return (
    <li className={question === undefined ? "source" : "source asked"}>
      <div className="about">
        <span className={`kind ${kind}`}>{kind}</span>
        <span className="year">{year}</span>
      </div>
      <h3>{title}</h3>
      <p>{note}</p>
      {question === undefined ? (
        <button type="button" className="delete" disabled={onDelete === undefined} onClick={onDelete}>
          Delete
        </button>
      ) : (
        <fieldset aria-label={`Delete ${title}?`}>
          <legend>The agent wants to delete this source.</legend>
          <button type="button" className="danger" onClick={() => void decide(question, { action: "approve" })}>
            Delete it
          </button>
          <button type="button" onClick={() => void decide(question, { action: "deny", reason: "It is needed." })}>
            Keep it
          </button>
        </fieldset>
      )}
    </li>
  );
}
