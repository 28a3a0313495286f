import { expect, it } from 'vitest';
import { table } from './table.ts';

it('aligns columns by what a terminal shows and leaves no spaces at the ends of lines', () => {
  expect(
    table(
      ['NAME', 'STATE', 'DETAILS'],
      [
        ['kühlschrank', 'ok', ''],
        ['箱', 'failed', 'no power'],
      ],
    ),
  ).toBe(['NAME         STATE   DETAILS', 'kühlschrank  ok', '箱           failed  no power', ''].join('\n'));
});

it('lays out as many rows as there are pods in a large cluster', () => {
  expect(
    table(
      ['NAME'],
      Array.from({ length: 200_000 }, () => ['pod']),
    ).split('\n'),
  ).toHaveLength(200_002);
});
