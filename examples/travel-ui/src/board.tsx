import type { Plan, Planner, Trip } from "./use-planner.ts";

const IDEAS = ["Three days in Lisbon for two", "Two days in Kyoto for one", "One day in Oslo for three"];

/** The state of the thread: the plan as it grows, and the trips that were created. */
export function Board({ planner }: { readonly planner: Planner }) {
  const { plan, trips, isRunning, say } = planner;
  const isEmpty = plan === null && trips.length === 0;
  return (
    <main className="board">
      <header>
        <h1>Your trips</h1>
        <a href="?">Start over</a>
      </header>
      {isEmpty && (
        <section className="empty" aria-label="Ideas">
          <p>Nothing planned yet. Where to?</p>
          {IDEAS.map((idea) => (
            <button key={idea} type="button" disabled={isRunning} onClick={() => say(idea)}>
              {idea}
            </button>
          ))}
        </section>
      )}
      <div className="cards">
        {plan !== null && <PlanCard plan={plan} />}
        {trips.toReversed().map((trip) => (
          <TripCard key={trip.id} trip={trip} />
        ))}
      </div>
    </main>
  );
}

function PlanCard({ plan }: { readonly plan: Plan }) {
  return (
    <article className="card draft" aria-label={`Plan for ${plan.city}`}>
      <Banner city={plan.city} label="Draft" />
      <Days plan={plan} />
    </article>
  );
}

function TripCard({ trip }: { readonly trip: Trip }) {
  const { city, travellers, price } = trip;
  return (
    <article className="card" aria-label={`Trip to ${city}`}>
      <Banner city={city} label="Created" />
      <Days plan={trip} />
      <footer>
        <span>{travellers === 1 ? "1 traveller" : `${travellers} travellers`}</span>
        <strong>€{price}</strong>
      </footer>
    </article>
  );
}

function Banner({ city, label }: { readonly city: string; readonly label: string }) {
  return (
    <div className={`banner ${city.toLowerCase()}`}>
      <h2>{city}</h2>
      <span className="label">{label}</span>
    </div>
  );
}

function Days({ plan: { days } }: { readonly plan: Plan }) {
  return (
    <ol className="days">
      {days.map(({ title, stops }) => (
        <li key={title}>
          <h3>{title}</h3>
          <p>{stops.join(" · ")}</p>
        </li>
      ))}
    </ol>
  );
}
