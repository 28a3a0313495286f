import { describe, expect, it } from 'vitest';
import { ContainerLog, lastWords, selectLines } from './container-log.ts';

describe('ContainerLog', () => {
  it('tells followers of what comes after, line by line, until it ends', () => {
    const log = new ContainerLog();
    const heard: string[] = [];
    log.append(1, 'before');
    log.follow(
      ({ text }) => heard.push(text),
      () => heard.push('(end)'),
    );
    log.append(2, 'one\ntwo');
    log.end();
    log.append(3, 'after');
    expect(heard).toEqual(['one', 'two', '(end)']);
    expect(log.lines().map(({ text }) => text)).toEqual(['before', 'one', 'two', 'after']);
  });

  it('ends at once for those who follow what has ended', () => {
    const log = new ContainerLog();
    log.end();
    let ended = false;
    log.follow(
      () => {},
      () => {
        ended = true;
      },
    );
    expect(ended).toBe(true);
  });

  it('no longer tells who has left', () => {
    const log = new ContainerLog();
    const heard: string[] = [];
    const leave = log.follow(
      ({ text }) => heard.push(text),
      () => {},
    );
    log.append(1, 'one');
    leave();
    log.append(2, 'two');
    expect(heard).toEqual(['one']);
  });

  it('keeps the newest ten thousand lines', () => {
    const log = new ContainerLog();
    for (let i = 1; i <= 10_005; i += 1) log.append(i, String(i));
    expect([log.lines().length, log.lines()[0]?.text]).toEqual([10_000, '6']);
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
