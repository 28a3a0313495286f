import { expect, it } from 'vitest';
import { takeFragment } from './fragment.ts';

function take(hash: string): { readonly taken: object; readonly address: string } {
  let address = `/nodes?q=a${hash}`;
  const taken = takeFragment({
    location: { hash, pathname: '/nodes', search: '?q=a' } as Location,
    history: { state: null, replaceState: (_state: unknown, _title: string, url: string) => (address = url) } as unknown as History,
  });
  return { taken, address };
}

it.each([
  ['#code=abc', { code: 'abc' }],
  ['#returned=%3Fcode%3Da%26state%3Db', { returned: '?code=a&state=b' }],
])('takes %s out of the address', (hash, expected) => {
  expect(take(hash)).toEqual({ taken: expected, address: '/nodes?q=a' });
});

it.each(['', '#content'])('leaves %j alone', (hash) => {
  expect(take(hash)).toEqual({ taken: {}, address: `/nodes?q=a${hash}` });
});
