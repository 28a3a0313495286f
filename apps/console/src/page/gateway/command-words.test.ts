import { expect, it } from 'vitest';
import { commandWords } from './command-words.ts';

it.each([
  ['sh', ['sh']],
  ['  ls  -l ', ['ls', '-l']],
  [`sh -c "echo 'a b'; exit 3"`, ['sh', '-c', "echo 'a b'; exit 3"]],
  ["printf '%s ' x", ['printf', '%s ', 'x']],
  ['   ', []],
])('reads the words of %j', (text, words) => {
  expect(commandWords(text)).toEqual(words);
});
