import { describe, expect, it } from 'vitest';
import { ContainerLog, type LogLine, lastWords, selectLines } from './container-log.ts';

const never = new AbortController().signal;

async function textsOf(lines: AsyncIterable<LogLine>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of lines) texts.push(text);
  return texts;
}

describe('ContainerLog', () => {
  it('tells who follows of what comes after, line by line, until it ends', async () => {
    const log = new ContainerLog();
    log.append(1, 'before');
    const heard = textsOf(log.follow(log.written, never));
    log.append(2, 'one\ntwo');
    log.end();
    expect(await heard).toEqual(['one', 'two']);
    expect(log.ended.aborted).toBe(true);
    expect(await textsOf(log.follow(1, never))).toEqual(['one', 'two']);
  });

  it('wakes who waits for a line, and lets go who leaves', async () => {
    const log = new ContainerLog();
    const leaving = new AbortController();
    const lines = log.follow(0, leaving.signal);
    const waiting = lines.next();
    log.append(1, 'one');
    expect((await waiting).value).toEqual({ wallMs: 1, text: 'one' });
    const next = lines.next();
    leaving.abort();
    expect((await next).done).toBe(true);
  });

  it('keeps the newest ten thousand lines, and nothing more for who is slow', async () => {
    const log = new ContainerLog();
    const slow = log.follow(0, never);
    for (let i = 1; i <= 10_005; i += 1) log.append(i, String(i));
    expect([log.lines().length, log.lines()[0]?.text, log.written]).toEqual([10_000, '6', 10_005]);
    expect((await slow.next()).value?.text).toBe('6');
    for (let i = 10_006; i <= 10_010; i += 1) log.append(i, String(i));
    expect((await slow.next()).value?.text).toBe('11');
    log.end();
    expect((await textsOf(slow)).length).toBe(9_999);
  });
});

describe('selectLines', () => {
  const lines = [1000, 2000, 3000].map((wallMs) => ({ wallMs, text: String(wallMs) }));
  const select = (query: string): string[] => selectLines(lines, new URLSearchParams(query), 3500).map(({ text }) => text);

  it.each([
    ['', ['1000', '2000', '3000']],
    ['tailLines=1', ['3000']],
    ['tailLines=0', []],
    ['tailLines=9', ['1000', '2000', '3000']],
    ['sinceSeconds=2', ['2000', '3000']],
    ['sinceTime=1970-01-01T00:00:03Z', ['3000']],
    ['sinceSeconds=2&tailLines=1', ['3000']],
  ])('answers "%s"', (query, expected) => {
    expect(select(query)).toEqual(expected);
  });
});

describe('lastWords', () => {
  const written = (count: number, text: string) => Array.from({ length: count }, (_, index) => ({ wallMs: 0, text: `${text}${index}` }));

  it('are the last 80 lines, and of those the last 2048 bytes', () => {
    expect(lastWords(written(3, 'line '))).toBe('line 0\nline 1\nline 2\n');
    expect(lastWords(written(100, 'x'))?.split('\n')).toHaveLength(81);
    const long = lastWords(written(80, 'ä'.repeat(100))) ?? '';
    expect(long).toMatch(/79\n$/);
    expect(long.length).toBeLessThanOrEqual(2048);
  });

  it('are none of a container that wrote nothing', () => {
    expect(lastWords([])).toBeUndefined();
  });
});
