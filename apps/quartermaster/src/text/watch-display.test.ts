import { describe, expect, it } from 'vitest';
import { look, start } from '../inventory/test/inventory-messages.ts';
import type { Link } from './link.ts';
import type { ListView } from './listing.ts';
import { appendingDisplay, machineDisplay, terminalDisplay } from './watch-display.ts';

type State = Readonly<Record<string, string>>;

const view: ListView<State> = {
  list: (state) => ({
    header: ['NAME', 'VALUE'],
    rows: Object.entries(state).map(([key, value]) => ({ key, cells: [key, value] })),
    whenEmpty: 'Nothing.',
    notes: [],
  }),
  document: (state) => state,
  objects: (state) => new Map(Object.entries(state).map(([key, value]) => [key, { name: key, value }])),
};

const live: Link = { isLive: true };
const lost: Link = { isLive: false, lastContactAt: start, reason: 'connection refused' };
const soon = { ...look, now: start + 12_000 };

function scripted(more: { readonly isTTY?: boolean; readonly rows?: number } = {}) {
  const written = { out: '', err: '' };
  return {
    written,
    output: { out: { ...more, write: (text: string) => (written.out += text) }, err: { write: (text: string) => (written.err += text) } },
  };
}

describe('lines appended where nobody watches', () => {
  it('shows everything once, then each row that is new, different or gone, in the same columns', () => {
    const { written, output } = scripted();
    const display = appendingDisplay(output, view);
    display.show({ state: { a: '1', 'long-name': '2' }, link: live }, look);
    expect(written.out).toBe('NAME       VALUE\na          1\nlong-name  2\n');
    written.out = '';
    display.show({ state: { a: '1', 'long-name': '2' }, link: live }, look);
    expect(written.out).toBe('');
    display.show({ state: { a: '3', b: '4' }, link: live }, look);
    expect(written.out).toBe('a          3\nb          4\nlong-name  gone\n');
  });

  it('says on standard error since when it is stale and when it is live again, once each, and takes nothing back', () => {
    const { written, output } = scripted();
    const display = appendingDisplay(output, view);
    display.show({ state: { a: '1' }, link: live }, look);
    written.out = '';
    display.show({ state: { a: '1' }, link: lost }, soon);
    display.show({ state: { a: '1' }, link: lost }, soon);
    display.show({ state: { a: '1' }, link: live }, soon);
    expect(written).toEqual({
      out: '',
      err: '2026-01-01 00:00:12Z stale since 2026-01-01 00:00:00Z (12s): connection refused; trying again\n2026-01-01 00:00:12Z live again\n',
    });
  });

  it('is silent on standard output until something is known', () => {
    const { written, output } = scripted();
    appendingDisplay(output, view).show(
      { state: undefined, link: { isLive: false, lastContactAt: undefined, reason: 'nobody answers' } },
      look,
    );
    expect(written).toEqual({ out: '', err: '2026-01-01 03:00:00Z nothing heard yet: nobody answers; trying again\n' });
  });
});

describe('events for programs', () => {
  it('are one line of JSON for each thing that is new, different or gone', () => {
    const { written, output } = scripted();
    const display = machineDisplay(output, view, 'json');
    display.show({ state: { a: '1', b: '2' }, link: live }, look);
    display.show({ state: { a: '3' }, link: live }, look);
    expect(
      written.out
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toEqual([
      { event: 'added', key: 'a', object: { name: 'a', value: '1' } },
      { event: 'added', key: 'b', object: { name: 'b', value: '2' } },
      { event: 'changed', key: 'a', object: { name: 'a', value: '3' } },
      { event: 'removed', key: 'b' },
    ]);
  });

  it('are documents of one YAML stream', () => {
    const { written, output } = scripted();
    machineDisplay(output, view, 'yaml').show({ state: { a: '1' }, link: live }, look);
    expect(written.out).toBe('---\nevent: added\nkey: a\nobject:\n  name: a\n  value: "1"\n');
  });
});

describe('a terminal', () => {
  it('is redrawn in place and left with the last state on it', () => {
    const { written, output } = scripted({ isTTY: true, rows: 10 });
    const display = terminalDisplay(output.out, view);
    display.show({ state: { a: '1' }, link: live }, look);
    expect(written.out).toBe(
      '\u001B[?1049h\u001B[?7l\u001B[?25l\u001B[Hlive\u001B[K\n\u001B[K\nNAME  VALUE\u001B[K\na     1\u001B[K\u001B[J',
    );
    written.out = '';
    display.show({ state: { a: '1' }, link: lost }, soon);
    expect(written.out).toContain('stale since 2026-01-01 00:00:00Z (12s): connection refused; trying again');
    expect(written.out).toContain('a     1');
    written.out = '';
    display.end();
    expect(written.out).toBe(
      '\u001B[?25h\u001B[?7h\u001B[?1049lNAME  VALUE\na     1\nstale since 2026-01-01 00:00:00Z (12s): connection refused; trying again\n',
    );
  });

  it('leaves out rows rather than the totals, and says how many', () => {
    const { written, output } = scripted({ isTTY: true, rows: 8 });
    const withTotals = { ...view, list: (state: State) => ({ ...view.list(state, look), notes: ['TOTAL 4\n'] }) };
    terminalDisplay(output.out, withTotals).show({ state: { a: '1', b: '2', c: '3', d: '4' }, link: live }, look);
    const [, , ...lines] = written.out.replaceAll('\u001B[K', '').split('\n');
    expect(lines).toEqual([
      'NAME  VALUE',
      'a     1',
      'b     2',
      '… 2 more: enlarge the window, or name what you want to see',
      '',
      'TOTAL 4\u001B[J',
    ]);
  });
});
