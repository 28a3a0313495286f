import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { inStep, jsonProgress, textProgress } from './progress.ts';

function scripted({ isTTY = false } = {}) {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({ isTTY, write: (text: string) => (written[name] += text) });
  return { written, output: { out: stream('out'), err: stream('err') } };
}

describe('textProgress', () => {
  it('is one line per step that ended well where nobody watches', async () => {
    const clock = new FakeClock();
    const { written, output } = scripted();
    const progress = textProgress(output, clock);
    const step = progress.step('console');
    step.update('building its page');
    await clock.advance(1500);
    step.done('http://127.0.0.1:1');
    progress.step('roles').fail();
    progress.ready('everything is there\n', {});
    expect(written).toEqual({ err: '✓ console: http://127.0.0.1:1 (1.5 s)\n', out: 'everything is there\n' });
  });

  it('rewrites the running step on a terminal', () => {
    const { written, output } = scripted({ isTTY: true });
    textProgress(output, new FakeClock()).step('console').update('building its page');
    expect(written.err).toBe('\r\u001B[K  console …\r\u001B[K  console: building its page …');
  });
});

describe('jsonProgress', () => {
  it('is one object per line on standard output', async () => {
    const clock = new FakeClock();
    const { written, output } = scripted();
    const progress = jsonProgress(output, clock);
    const step = progress.step('console');
    await clock.advance(20);
    step.done('there');
    progress.ready('text', { console: 'http://127.0.0.1:1' });
    const lines = written.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ time: _, ...rest }) => rest)).toEqual([
      { event: 'step', step: 'console', state: 'started', ms: 0 },
      { event: 'step', step: 'console', state: 'done', detail: 'there', ms: 20 },
      { event: 'ready', console: 'http://127.0.0.1:1' },
    ]);
    expect(written.err).toBe('');
  });
});

describe('inStep', () => {
  it('ends the step as the work does', async () => {
    const clock = new FakeClock();
    const { written, output } = scripted();
    const progress = jsonProgress(output, clock);
    expect(await inStep(progress, 'good', async () => ({ result: 7, detail: 'seven' }))).toBe(7);
    await expect(inStep(progress, 'bad', async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(written.out).toMatch(/"step":"good","state":"done","detail":"seven"/);
    expect(written.out).toMatch(/"step":"bad","state":"failed"/);
  });
});
