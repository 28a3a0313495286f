import { describe, expect, it } from 'vitest';
import { streamRequest } from './stream-request.ts';

const lease = '7-1-2-p1';

describe('what a page asks of a gateway', () => {
  it('keeps the words of a command as they are, whatever is in them', () => {
    const { path } = streamRequest(
      { lease, kind: 'shell' },
      { service: 'web', podIndex: '0', tty: '0', stdin: '1', cmd0: 'sh', cmd1: 'a&tty=1 #é' },
    );
    const { pathname, searchParams } = new URL(path, 'https://gateway');
    expect(pathname).toBe('/lease/7/1/2/shell');
    expect([searchParams.getAll('tty'), searchParams.get('cmd1')]).toEqual([['0'], 'a&tty=1 #é']);
  });

  it.each([
    ['a path in the lease', { lease: '../7-1-1-p1', kind: 'logs' }, {}],
    ['a lease without a provider', { lease: '7-1-1', kind: 'logs' }, {}],
    ['a stream that is none', { lease, kind: 'manifest' }, {}],
    ['something else in the query', { lease, kind: 'kubeevents' }, { service: 'web' }],
    ['the same twice', { lease, kind: 'logs' }, { tail: ['1', '2'] }],
    ['a command without a service', { lease, kind: 'shell' }, { podIndex: '0', tty: '1', stdin: '1', cmd0: 'sh' }],
    ['too many words', { lease, kind: 'shell' }, { service: 'web', podIndex: '0', tty: '1', stdin: '1', cmd0: 'sh', cmd32: 'x' }],
  ])('refuses %s', (_what, params, query) => {
    expect(() => streamRequest(params, query)).toThrow(/there is no lease|field/);
  });
});
