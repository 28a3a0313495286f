import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeLogs } from '../../../test/fake-logs.ts';
import { type LogWish, streamLogs } from './log-stream.ts';

type Send = (line: { readonly name: string; readonly message: string }) => Promise<void>;

function stream(source: FakeLogs, wish: Partial<LogWish> = {}, waits: Send = async () => {}) {
  const clock = new FakeClock();
  const ending = new AbortController();
  const sent: string[] = [];
  const send: Send = async (line) => {
    sent.push(`${line.name} ${line.message}`);
    await waits(line);
  };
  const options = { source, wish: { services: [], follow: true, ...wish }, send, clock, log: silentLog };
  const done = streamLogs(options, ending.signal).then(
    () => 'done',
    (thrown: unknown) => thrown,
  );
  return { clock, sent, done, end: (why: unknown) => ending.abort(why) };
}
const away = new StatusError('unavailable', 'the API server is away');
const waiting = new StatusError('invalid_argument', 'container "web" is waiting to start');
function logsOf(...names: string[]): FakeLogs {
  const logs = new FakeLogs();
  for (const name of names) logs.set(name);
  return logs;
}

describe('logs that are not followed', () => {
  it('are all lines of all pods, and end', async () => {
    const logs = logsOf('web-1', 'web-2');
    logs.write('web-2', 1, 'b');
    logs.write('web-1', 1, 'a');
    logs.write('web-1', undefined, 'the rest of a');
    const { sent, done } = stream(logs, { follow: false });
    expect(await done).toBe('done');
    expect(sent.toSorted()).toEqual(['web-1 a', 'web-1 the rest of a', 'web-2 b']);
    expect([logs.listeners, logs.asked.map(({ container }) => container)]).toEqual([0, ['web', 'web']]);
  });

  it.each([
    [undefined, ['a', 'b', 'c']],
    [2, ['b', 'c']],
    [0, []],
  ])('are the last %s of each pod', async (tail, texts) => {
    const logs = logsOf('web-1');
    for (const [at, text] of ['a', 'b', 'c'].entries()) logs.write('web-1', at, text);
    const { sent, done } = stream(logs, { follow: false, tail });
    await done;
    expect(sent).toEqual(texts.map((text) => `web-1 ${text}`));
  });

  it('of many pods are read a few at a time', async () => {
    const logs = logsOf(...Array.from({ length: 20 }, (_, at) => `web-${at}`));
    for (const { name } of logs.pods()) logs.write(name, 1, 'x');
    const gate = Promise.withResolvers<void>();
    const { clock, sent, done } = stream(logs, { follow: false }, () => gate.promise);
    await clock.advance(0);
    expect([sent.length, logs.asked.length]).toEqual([8, 8]);
    gate.resolve();
    await done;
    expect(sent).toHaveLength(20);
  });

  it('are none of a pod that has not started', async () => {
    const logs = logsOf('web-1');
    logs.failure = waiting;
    expect(await stream(logs, { follow: false }).done).toBe('done');
  });

  it('are not taken for complete while the API server is away', async () => {
    const logs = logsOf('web-1', 'web-2');
    logs.failure = away;
    expect(await stream(logs, { follow: false }).done).toBe(away);
  });
});

describe('logs that are followed', () => {
  it('go on with what is written, of all pods, and end with the signal', async () => {
    const logs = logsOf('web-1', 'web-2');
    const { clock, sent, done, end } = stream(logs);
    for (const [name, text] of [
      ['web-1', 'a'],
      ['web-2', 'b'],
      ['web-1', 'c'],
    ] as const) {
      logs.write(name, 1, text);
      await clock.advance(0);
    }
    expect(sent).toEqual(['web-1 a', 'web-2 b', 'web-1 c']);
    const why = new Error('over');
    end(why);
    expect(await done).toBe(why);
    expect(logs.listeners).toBe(0);
  });

  it('go on with pods that come, from their first line, and without those that go', async () => {
    const logs = logsOf('web-1');
    logs.write('web-1', 1, 'old');
    const { clock, sent, end } = stream(logs, { tail: 0 });
    await clock.advance(0);
    logs.set('web-2');
    logs.write('web-2', 2, 'first');
    logs.write('web-1', 2, 'last');
    logs.remove('web-1');
    await clock.advance(0);
    expect(sent.toSorted()).toEqual(['web-1 last', 'web-2 first']);
    // Nobody waits for the one that is gone.
    await clock.advance(100_000);
    expect(logs.asked.filter(({ pod, follow }) => pod === 'web-1' && follow)).toHaveLength(1);
    end(new Error('over'));
  });

  it('go on with a pod of the same name that is another one', async () => {
    const logs = logsOf('db-0');
    logs.write('db-0', 1, 'one');
    const { clock, sent, end } = stream(logs);
    await clock.advance(0);
    logs.remove('db-0');
    logs.set('db-0', { uid: 'another' });
    logs.write('db-0', 1, 'two');
    await clock.advance(0);
    expect(sent).toEqual(['db-0 one', 'db-0 two']);
    end(new Error('over'));
  });

  it('go on when the container starts again, with its every line', async () => {
    const logs = logsOf('web-1');
    logs.write('web-1', 1, 'before');
    const { clock, sent, end } = stream(logs, { tail: 1 });
    await clock.advance(0);
    logs.ends('web-1');
    await clock.advance(0);
    logs.restarts('web-1');
    for (const text of ['a', 'b', 'c']) logs.write('web-1', 2, text);
    logs.set('web-1', { restarts: 1 });
    await clock.advance(0);
    expect(sent).toEqual(['web-1 before', 'web-1 a', 'web-1 b', 'web-1 c']);
    end(new Error('over'));
  });

  it('begin with the first line of a container that has not started, whatever was asked of those that had', async () => {
    for (const tail of [0, 1]) {
      const logs = logsOf('web-1');
      logs.failure = waiting;
      const { clock, sent, end } = stream(logs, { tail });
      await clock.advance(0);
      logs.failure = undefined;
      for (const text of ['a', 'b']) logs.write('web-1', 1, text);
      logs.set('web-1');
      await clock.advance(0);
      expect(sent).toEqual(['web-1 a', 'web-1 b']);
      end(new Error('over'));
    }
  });

  it('go on when the API server is back, without asking it all the time', async () => {
    const logs = logsOf('web-1');
    logs.failure = away;
    const { clock, sent, end } = stream(logs, { tail: 1 });
    await clock.advance(29_999);
    expect(logs.asked).toHaveLength(1);
    logs.failure = undefined;
    for (const text of ['a', 'b']) logs.write('web-1', 1, text);
    await clock.advance(1);
    expect(sent).toEqual(['web-1 b']);
    end(new Error('over'));
  });

  it('fail with what is a bug', async () => {
    const logs = logsOf('web-1', 'web-2');
    logs.failure = new StatusError('permission_denied', 'service-cluster may not read logs');
    expect(await stream(logs).done).toBe(logs.failure);
    expect(logs.listeners).toBe(0);
  });

  it('are read no faster than they are sent', async () => {
    const logs = logsOf('web-1');
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    for (let at = 0; at < 100; at += 1) logs.write('web-1', at, 'x');
    let next = 0;
    const { clock, end } = stream(logs, {}, () => gates[next++]?.promise ?? new Promise(() => {}));
    for (let taken = 1; taken <= 3; taken += 1) {
      await clock.advance(1_000);
      expect(logs.taken).toBe(taken);
      gates[taken - 1]?.resolve();
    }
    end(new Error('over'));
  });

  it('have each line once, however often the stream breaks and whatever lines share a stamp', async () => {
    const piece = fc.record({ kind: fc.constant('line' as const), after: fc.constantFrom(0, 0, 0.001, 0.7, 2), rest: fc.nat(2) });
    const step = fc.oneof(
      { weight: 3, arbitrary: piece },
      fc.record({ kind: fc.constantFrom('break' as const, 'away' as const, 'look' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const logs = logsOf('web-1');
        const { clock, sent, end } = stream(logs);
        const texts: string[] = [];
        let second = 100;
        for (const [at, each] of steps.entries()) {
          if (each.kind === 'line') {
            second += each.after;
            for (let part = 0; part <= each.rest; part += 1) {
              texts.push(`web-1 ${at}.${part}`);
              logs.write('web-1', part === 0 ? second : undefined, `${at}.${part}`);
            }
          } else if (each.kind === 'look') {
            await clock.advance(0);
          } else {
            logs.failure = each.kind === 'away' ? away : undefined;
            logs.break();
            await clock.advance(30_000);
          }
        }
        logs.failure = undefined;
        await clock.advance(60_000);
        expect(sent).toEqual(texts);
        end(new Error('over'));
      }),
      { numRuns: 60 },
    );
  });
});
