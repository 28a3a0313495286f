import { FakeClock, StatusError, seededRandom, silentLog } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import { beforeEach, describe, expect, it } from 'vitest';
import { failure, MemoryKube } from '../../test/memory-kube.ts';
import { EventRecorder } from './event-recorder.ts';

const pod = { metadata: { namespace: 'ns', name: 'web', uid: 'u-1' } };
const notice = { reason: 'Started', action: 'Start', note: 'It runs.' };

let kube: MemoryKube;
let clock: FakeClock;
let recorder: EventRecorder;
let warnings: string[];

beforeEach(() => {
  warnings = [];
  kube = new MemoryKube();
  clock = new FakeClock();
  recorder = make();
});

function make(maxSeries = 100): EventRecorder {
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const options = { writer: kube, controller: 'example.com/op', instance: 'op-1', clock, random: seededRandom(1), log };
  return new EventRecorder({ ...options, maxSeries });
}

const stored = async () => (await kube.list(kinds.events)).items;
const verbs = () => kube.calls.map((call) => call.verb);

/** Lets the recorder wait between its tries. */
async function flush(): Promise<void> {
  await clock.advance(120_000);
  await recorder.flush();
}

describe('EventRecorder', () => {
  it('returns before anything is sent, and has sent it after a flush', async () => {
    recorder.normal(kinds.pods, pod, notice);
    expect(kube.calls).toEqual([]);
    await recorder.flush();
    expect(await stored()).toMatchObject([{ type: 'Normal', ...notice, regarding: { kind: 'Pod', uid: 'u-1' } }]);
  });

  it('raises the count of the same Event for a repeat, with the time of the last one', async () => {
    recorder.warning(kinds.pods, pod, notice);
    await recorder.flush();
    await clock.advance(5000);
    recorder.warning(kinds.pods, pod, notice);
    await recorder.flush();
    await clock.advance(1000);
    recorder.warning(kinds.pods, pod, notice);
    await recorder.flush();
    expect(await stored()).toMatchObject([
      { eventTime: '2026-01-01T00:00:00.000000Z', series: { count: 3, lastObservedTime: '2026-01-01T00:00:06.000000Z' } },
    ]);
    expect(recorder.counters()).toMatchObject({ recorded: 3, created: 1, patched: 2 });
  });

  it('sends repeats that come faster than it can write as one', async () => {
    for (let i = 0; i < 20; i += 1) recorder.normal(kinds.pods, pod, notice);
    await recorder.flush();
    expect(verbs()).toEqual(['create']);
    expect(await stored()).toMatchObject([{ series: { count: 20 } }]);
  });

  it.each([
    ['object', () => recorder.normal(kinds.pods, { metadata: { ...pod.metadata, uid: 'u-2' } }, notice)],
    ['type', () => recorder.warning(kinds.pods, pod, notice)],
    ['reason', () => recorder.normal(kinds.pods, pod, { ...notice, reason: 'Other' })],
    ['action', () => recorder.normal(kinds.pods, pod, { ...notice, action: 'Other' })],
    ['note', () => recorder.normal(kinds.pods, pod, { ...notice, note: 'Other.' })],
  ])('makes an Event of its own of a notice with another %s', async (_what, record) => {
    recorder.normal(kinds.pods, pod, notice);
    record();
    await recorder.flush();
    expect(verbs()).toEqual(['create', 'create']);
  });

  it('begins a new Event when the server has dropped the old one, or when the last was long ago', async () => {
    recorder.normal(kinds.pods, pod, notice);
    await recorder.flush();
    kube.objects.clear();
    recorder.normal(kinds.pods, pod, notice);
    await recorder.flush();
    expect(verbs()).toEqual(['create', 'patch', 'create']);
    expect((await stored())[0]).not.toHaveProperty('series');
    await clock.advance(1_800_001);
    recorder.normal(kinds.pods, pod, notice);
    await recorder.flush();
    expect(verbs().slice(3)).toEqual(['create']);
  });

  it('writes 25 times for an object and then once every five minutes, without limiting another', async () => {
    const tell = (uid: string, from: number) => {
      for (let i = from; i < from + 40; i += 1) {
        recorder.normal(kinds.pods, { metadata: { ...pod.metadata, uid } }, { ...notice, note: `Number ${i}.` });
      }
    };
    tell('u-1', 0);
    await recorder.flush();
    expect(recorder.counters()).toMatchObject({ recorded: 40, created: 25, limited: 15 });
    tell('u-2', 0);
    await recorder.flush();
    expect(recorder.counters().created).toBe(50);
    await clock.advance(300_000);
    tell('u-1', 100);
    await recorder.flush();
    expect(recorder.counters().created).toBe(51);
  });

  it('counts repeats beyond the limit and tells of them with the next write', async () => {
    for (let i = 0; i < 30; i += 1) {
      recorder.normal(kinds.pods, pod, notice);
      await recorder.flush();
    }
    expect(kube.calls).toHaveLength(25);
    await clock.advance(300_000);
    recorder.normal(kinds.pods, pod, notice);
    await recorder.flush();
    expect(await stored()).toMatchObject([{ series: { count: 31 } }]);
  });

  it('tries again while the server is away, and gives up after five tries', async () => {
    kube.failures.push(new StatusError('unavailable', 'away'), new StatusError('unavailable', 'away'));
    recorder.normal(kinds.pods, pod, notice);
    await flush();
    expect(recorder.counters()).toMatchObject({ created: 1, failed: 0 });
    for (let i = 0; i < 5; i += 1) kube.failures.push(new StatusError('unavailable', 'away'));
    recorder.normal(kinds.pods, pod, { ...notice, note: 'Other.' });
    await flush();
    expect(recorder.counters()).toMatchObject({ created: 1, failed: 1 });
  });

  it('drops what the server refuses and goes on with the next', async () => {
    kube.failures.push(failure('permission_denied', { kind: 'forbidden' }));
    recorder.normal(kinds.pods, pod, notice);
    recorder.normal(kinds.pods, pod, { ...notice, note: 'Next.' });
    await recorder.flush();
    expect(recorder.counters()).toMatchObject({ failed: 1, created: 1 });
    expect(await stored()).toMatchObject([{ note: 'Next.' }]);
    expect(warnings).toEqual(['event not written']);
  });

  it('warns of nothing that would have gone with its namespace', async () => {
    const causes = [{ field: 'metadata.namespace', reason: 'NamespaceTerminating', message: 'namespace ns is being terminated' }];
    kube.failures.push(failure('permission_denied', { kind: 'forbidden', causes }));
    recorder.normal(kinds.pods, pod, notice);
    kube.failures.push(failure('not_found', { kind: 'not-found' }));
    recorder.normal(kinds.pods, pod, { ...notice, note: 'Next.' });
    await recorder.flush();
    expect(recorder.counters()).toMatchObject({ failed: 2, created: 0 });
    expect(warnings).toEqual([]);
  });

  it('never throws: a notice or an object that breaks a rule is counted', () => {
    recorder.normal(kinds.pods, pod, { ...notice, reason: 'not a word' });
    recorder.normal(kinds.pods, { metadata: {} }, notice);
    expect(recorder.counters()).toMatchObject({ recorded: 2, refused: 2 });
  });

  it('holds a bounded number of waiting events', async () => {
    recorder = make(10);
    for (let i = 0; i < 500; i += 1) recorder.normal(kinds.pods, { metadata: { name: `pod-${i}`, uid: `u-${i}` } }, notice);
    expect(recorder.counters().limited).toBe(490);
    await recorder.flush();
    expect(recorder.counters().created).toBe(10);
  });

  it('lets a flush go when its signal aborts', async () => {
    for (let i = 0; i < 5; i += 1) kube.failures.push(new StatusError('unavailable', 'away'));
    recorder.normal(kinds.pods, pod, notice);
    const stop = new AbortController();
    const flushed = recorder.flush(stop.signal);
    await clock.advance(0);
    stop.abort();
    await flushed;
    expect(recorder.counters().created).toBe(0);
  });
});
