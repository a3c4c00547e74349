/** What a run costs where. Four commits, as in the cases of this benchmark. */
export interface RunCosts {
  /** CPU of the worker for one run. */
  readonly workerMs: number;
  /** CPU of the database for one commit. */
  readonly commitMs: number;
  /** How long a batch is on its way there and back, and waits for processes to wake up. Takes no CPU. */
  readonly tripMs: number;
  /** How long the disk takes to flush. All commits that wait share a flush. */
  readonly flushMs: number;
}

/** Where runs are worked on. */
export interface Deployment {
  readonly workers: number;
  /** How many runs each worker has under way. */
  readonly runsAtOnce: number;
  /** How many databases the threads are spread over. */
  readonly databases: number;
  /** Cores of each database; absent when workers and the one database share `machineCores`. */
  readonly databaseCores?: number;
  readonly machineCores?: number;
}

export interface Simulated {
  readonly runsPerSecond: number;
  /** From the start of a run to its end, without the time of models and tools. */
  readonly meanRunMs: number;
  /** The share of their time that workers, and cores of databases, were busy. */
  readonly workerUse: number;
  readonly databaseUse: number;
}

export const COMMITS_PER_RUN = 4;

/** How many batches a worker has under way: `HELD_LANES` of the Postgres store. */
const BATCHES_AT_ONCE = 2;

const MAX_BATCH = 200;

interface Event {
  readonly at: number;
  readonly order: number;
  readonly happen: () => void;
}

/** Events in the order of their times, as a binary heap. */
class Agenda {
  readonly #heap: Event[] = [];
  #made = 0;
  now = 0;

  after(ms: number, happen: () => void): void {
    this.#made += 1;
    const event = { at: this.now + ms, order: this.#made, happen };
    let index = this.#heap.push(event) - 1;
    for (let above = (index - 1) >> 1; index > 0 && isBefore(event, this.#at(above)); above = (index - 1) >> 1) {
      this.#heap[index] = this.#at(above);
      index = above;
    }
    this.#heap[index] = event;
  }

  runUntil(end: number): void {
    while (this.#heap.length > 0 && this.#at(0).at <= end) {
      const next = this.#pop();
      this.now = next.at;
      next.happen();
    }
    this.now = end;
  }

  #pop(): Event {
    const first = this.#at(0);
    const last = this.#heap.pop() ?? first;
    if (this.#heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(event: Event): void {
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= this.#heap.length) break;
      if (below + 1 < this.#heap.length && isBefore(this.#at(below + 1), this.#at(below))) below += 1;
      if (!isBefore(this.#at(below), event)) break;
      this.#heap[index] = this.#at(below);
      index = below;
    }
    this.#heap[index] = event;
  }

  #at(index: number): Event {
    const event = this.#heap[index];
    if (event === undefined) throw new Error("The agenda is empty.");
    return event;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Does pieces of work, as many at a time as there are cores, first come first served. */
class Cores {
  readonly #agenda: Agenda;
  readonly #waiting: { readonly ms: number; readonly done: () => void }[] = [];
  #free: number;
  busyMs = 0;

  constructor(agenda: Agenda, cores: number) {
    this.#agenda = agenda;
    this.#free = cores;
  }

  do(ms: number, done: () => void): void {
    this.#waiting.push({ ms, done });
    this.#next();
  }

  #next(): void {
    if (this.#free === 0) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#free -= 1;
    this.#agenda.after(work.ms, () => {
      this.busyMs += work.ms;
      this.#free += 1;
      work.done();
      this.#next();
    });
  }
}

/** A disk that flushes for all who wait, one flush after the other. */
class Disk {
  readonly #agenda: Agenda;
  readonly #flushMs: number;
  #waiting: (() => void)[] = [];
  #isFlushing = false;

  constructor(agenda: Agenda, flushMs: number) {
    this.#agenda = agenda;
    this.#flushMs = flushMs;
  }

  flush(done: () => void): void {
    this.#waiting.push(done);
    if (!this.#isFlushing) this.#begin();
  }

  #begin(): void {
    const served = this.#waiting;
    this.#waiting = [];
    this.#isFlushing = true;
    this.#agenda.after(this.#flushMs, () => {
      this.#isFlushing = false;
      for (const done of served) done();
      if (!this.#isFlushing && this.#waiting.length > 0) this.#begin();
    });
  }
}

interface Database {
  readonly cores: Cores;
  readonly disk: Disk;
}

/** One event loop, which does one thing at a time, on a core that it may have to wait for. */
class Worker {
  readonly #loop: Cores;
  readonly #cores: Cores;
  readonly #waiting = new Map<Database, (() => void)[]>();
  readonly #underWay = new Map<Database, number>();
  readonly #costs: RunCosts;
  readonly #agenda: Agenda;

  constructor(agenda: Agenda, costs: RunCosts, shared: Cores | undefined) {
    this.#agenda = agenda;
    this.#costs = costs;
    this.#loop = new Cores(agenda, 1);
    this.#cores = shared ?? this.#loop;
  }

  get busyMs(): number {
    return this.#loop.busyMs;
  }

  /** A run from its start to its end. */
  run(database: Database, done: () => void): void {
    const step = (left: number): void => {
      if (left === 0) return done();
      this.#think(this.#costs.workerMs / COMMITS_PER_RUN, () => this.#commit(database, () => step(left - 1)));
    };
    step(COMMITS_PER_RUN);
  }

  #isThinking = false;
  readonly #thoughts: { readonly ms: number; readonly done: () => void }[] = [];

  /** On its own core, or on one that it shares; one thought at a time either way. */
  #think(ms: number, done: () => void): void {
    this.#thoughts.push({ ms, done });
    this.#nextThought();
  }

  #nextThought(): void {
    if (this.#isThinking) return;
    const thought = this.#thoughts.shift();
    if (thought === undefined) return;
    this.#isThinking = true;
    this.#cores.do(thought.ms, () => {
      if (this.#cores !== this.#loop) this.#loop.busyMs += thought.ms;
      this.#isThinking = false;
      thought.done();
      this.#nextThought();
    });
  }

  #commit(database: Database, done: () => void): void {
    this.#waiting.set(database, [...(this.#waiting.get(database) ?? []), done]);
    this.#send(database);
  }

  #send(database: Database): void {
    const waiting = this.#waiting.get(database) ?? [];
    const underWay = this.#underWay.get(database) ?? 0;
    if (waiting.length === 0 || underWay >= BATCHES_AT_ONCE) return;
    const batch = waiting.slice(0, MAX_BATCH);
    this.#waiting.set(database, waiting.slice(MAX_BATCH));
    this.#underWay.set(database, underWay + 1);
    const { commitMs } = this.#costs;
    database.cores.do(commitMs * batch.length, () =>
      database.disk.flush(() =>
        this.#agenda.after(this.#costs.tripMs, () => {
          this.#underWay.set(database, (this.#underWay.get(database) ?? 1) - 1);
          for (const done of batch) done();
          this.#send(database);
        }),
      ),
    );
  }
}

const WARM_UP_MS = 500;
const MEASURED_MS = 2_000;

/** Lets a deployment work for a while that always has as many runs as it takes. The same every time: nothing in it is random. */
export function simulate(deployment: Deployment, costs: RunCosts): Simulated {
  const agenda = new Agenda();
  const { workers: workerCount, databases: databaseCount, machineCores, databaseCores = 1, runsAtOnce } = deployment;
  const shared = machineCores === undefined ? undefined : new Cores(agenda, machineCores);
  const databases = Array.from({ length: databaseCount }, () => ({
    cores: shared ?? new Cores(agenda, databaseCores),
    disk: new Disk(agenda, costs.flushMs),
  }));
  const workers = Array.from({ length: workerCount }, () => new Worker(agenda, costs, shared));
  let finished = 0;
  let spentMs = 0;
  for (const [number, worker] of workers.entries()) {
    for (let lane = 0; lane < runsAtOnce; lane += 1) {
      // Threads are spread evenly, as a hash does with many of them.
      let turn = number + lane;
      const again = (): void => {
        const began = agenda.now;
        const database = databases[turn % databaseCount];
        turn += 1;
        if (database === undefined) return;
        worker.run(database, () => {
          finished += 1;
          spentMs += agenda.now - began;
          again();
        });
      };
      again();
    }
  }
  agenda.runUntil(WARM_UP_MS);
  const before = { finished, spentMs, worker: sum(workers), database: sumOf(databases) };
  agenda.runUntil(WARM_UP_MS + MEASURED_MS);
  const runs = finished - before.finished;
  const workerMs = sum(workers) - before.worker;
  const databaseMs = sumOf(databases) - before.database - (shared === undefined ? 0 : workerMs);
  return {
    runsPerSecond: (runs * 1_000) / MEASURED_MS,
    meanRunMs: runs === 0 ? 0 : (spentMs - before.spentMs) / runs,
    workerUse: workerMs / (workerCount * MEASURED_MS),
    databaseUse: databaseMs / (databaseCount * (machineCores ?? databaseCores) * MEASURED_MS),
  };

  function sumOf(all: readonly Database[]): number {
    return shared?.busyMs ?? all.reduce((total, { cores }) => total + cores.busyMs, 0);
  }
}

function sum(workers: readonly Worker[]): number {
  return workers.reduce((total, { busyMs }) => total + busyMs, 0);
}
