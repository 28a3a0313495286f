import { expect, it } from 'vitest';
import { uriHref } from './delivery-words.ts';

it('follows hostnames with a browser, and leaves ports as they are', () => {
  expect(['web.example', 'https://web.example', 'p.example:31022'].map(uriHref)).toEqual([
    'http://web.example',
    'https://web.example',
    'p.example:31022',
  ]);
});
