import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { confirm } from './confirm.ts';

function asked(answer: string, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  input.end(`${answer}\n`);
  return { input, output: new PassThrough() };
}

it.each([
  ['y', true],
  ['Yes', true],
  ['n', false],
  ['', false],
  ['yesterday', false],
])('takes %j for %s', async (answer, isYes) => {
  expect(await confirm('Delete it?', asked(answer))).toBe(isYes);
});

it('goes on where nobody is there to ask', async () => {
  expect(await confirm('Delete it?', asked('n', false))).toBe(true);
});
