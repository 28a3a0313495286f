import { FakeClock } from '@quartermaster/kernel';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WorkQueue } from './work-queue.ts';

/** The rules of the queue on plain lists, with no care for speed. */
interface Model {
  now: number;
  waiting: string[];
  inFlight: string[];
  marked: Set<string>;
  delayed: { key: string; dueAt: number }[];
  /** Calls of `take` that have not been answered. */
  takers: number;
  given: string[];
}

interface Real {
  readonly clock: FakeClock;
  readonly queue: WorkQueue;
  readonly given: string[];
}

type Command = fc.AsyncCommand<Model, Real>;

const keys = fc.constantFrom('a', 'b', 'c', 'd');

function makeDue(m: Model, key: string): void {
  if (m.inFlight.includes(key)) m.marked.add(key);
  else if (!m.waiting.includes(key)) m.waiting.push(key);
  handOut(m);
}

function handOut(m: Model): void {
  while (m.takers > 0 && m.waiting.length > 0) {
    const key = m.waiting.shift();
    if (key === undefined) return;
    m.takers -= 1;
    m.inFlight.push(key);
    m.given.push(key);
  }
}

/** Runs one step on both and compares all that can be seen from outside. */
function command(name: string, check: (m: Model) => boolean, model: (m: Model) => void, real: (r: Real, m: Model) => unknown): Command {
  return {
    check,
    toString: () => name,
    async run(m, r) {
      const result = real(r, m);
      model(m);
      await result;
      await new Promise((resolve) => setImmediate(resolve));
      expect(r.given).toEqual(m.given);
      expect(new Set(m.inFlight).size).toBe(m.inFlight.length);
      expect(r.queue.metrics()).toMatchObject({ depth: m.waiting.length, inFlight: m.inFlight.length, delayed: m.delayed.length });
    },
  };
}

const add = (key: string): Command =>
  command(
    `add ${key}`,
    () => true,
    (m) => {
      m.delayed = m.delayed.filter((d) => d.key !== key);
      makeDue(m, key);
    },
    (r) => r.queue.add(key),
  );

const addAfter = (key: string, afterMs: number): Command =>
  command(
    `addAfter ${key} ${afterMs}`,
    () => true,
    (m) => {
      if (m.waiting.includes(key) || m.marked.has(key)) return;
      const known = m.delayed.find((d) => d.key === key);
      if (known !== undefined && known.dueAt <= m.now + afterMs) return;
      m.delayed = [...m.delayed.filter((d) => d !== known), { key, dueAt: m.now + afterMs }];
    },
    (r) => r.queue.addAfter(key, afterMs),
  );

const take = (): Command =>
  command(
    'take',
    (m) => m.takers < 3,
    (m) => {
      m.takers += 1;
      handOut(m);
    },
    (r) => {
      void r.queue.take().then((key) => {
        if (key !== undefined) r.given.push(key);
      });
    },
  );

const finish = (key: string): Command =>
  command(
    `done ${key}`,
    (m) => m.inFlight.includes(key),
    (m) => {
      m.inFlight = m.inFlight.filter((k) => k !== key);
      if (m.marked.delete(key)) makeDue(m, key);
    },
    (r) => r.queue.done(key),
  );

const advance = (byMs: number): Command =>
  command(
    `advance ${byMs}`,
    () => true,
    (m) => {
      m.now += byMs;
      const due = m.delayed.filter((d) => d.dueAt <= m.now).sort((a, b) => a.dueAt - b.dueAt);
      m.delayed = m.delayed.filter((d) => d.dueAt > m.now);
      for (const { key } of due) makeDue(m, key);
    },
    (r) => r.clock.advance(byMs),
  );

it('loses no key, gives none to two workers at a time and merges repeats, whatever the order of calls', async () => {
  const commands = fc.commands(
    [
      keys.map(add),
      fc.tuple(keys, fc.integer({ min: 1, max: 30 })).map(([key, ms]) => addAfter(key, ms)),
      fc.constant(take()),
      keys.map(finish),
      fc.integer({ min: 1, max: 40 }).map(advance),
    ],
    { maxCommands: 60 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      await fc.asyncModelRun(() => {
        const clock = new FakeClock();
        const queue = new WorkQueue({ clock, random: { next: () => 0, fill: (bytes) => bytes } });
        return {
          model: { now: 0, waiting: [], inFlight: [], marked: new Set<string>(), delayed: [], takers: 0, given: [] },
          real: { clock, queue, given: [] },
        };
      }, steps);
    }),
    { numRuns: 200 },
  );
});
