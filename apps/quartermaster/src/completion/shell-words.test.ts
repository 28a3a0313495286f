import { expect, it } from 'vitest';
import { shellWords } from './shell-words.ts';

it.each([
  ['quartermaster ', ['quartermaster', '']],
  ['quartermaster get', ['quartermaster', 'get']],
  ['quartermaster  get hosts  b', ['quartermaster', 'get', 'hosts', 'b']],
  ['q --server [::1]:80 --output=js', ['q', '--server', '[::1]:80', '--output=js']],
  [`q --filter 'this.id == "a b"' x`, ['q', '--filter', 'this.id == "a b"', 'x']],
  ['q "a \\"b" c\\ d', ['q', 'a "b', 'c d']],
  [`q 'not ended yet`, ['q', 'not ended yet']],
  ['q a\\', ['q', 'a\\']],
  [`q ''`, ['q', '']],
  ['', ['']],
])('splits %j', (line, words) => {
  expect(shellWords(line)).toEqual(words);
});
