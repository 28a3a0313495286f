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
