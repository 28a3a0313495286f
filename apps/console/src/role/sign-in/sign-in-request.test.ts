import { describe, expect, it } from 'vitest';
import { credentialIn, returnPathIn, tokenIn } from './sign-in-request.ts';

const body = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('what a sign-in sends', () => {
  it('is a token or a code', () => {
    expect(credentialIn(body({ token: 'a' }))).toEqual({ token: 'a' });
    expect(credentialIn(body({ code: 'b' }))).toEqual({ code: 'b' });
    for (const wrong of [Buffer.from('{'), body([]), body({}), body({ code: '' }), undefined])
      expect(() => tokenIn((credentialIn(wrong) as { token?: unknown }).token)).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      );
  });

  it('takes for a token what a header can carry', () => {
    expect(tokenIn(' abc.def\n')).toBe('abc.def');
    for (const wrong of ['', 'two words', 'line\nbreak', 'ümlaut', 7, undefined]) expect(() => tokenIn(wrong)).toThrow('paste one word');
  });

  it.each(['/', '/nodes?name=a', '/hosts/1#top'])('returns to %s', (path) => {
    expect(returnPathIn(body({ returnTo: path }))).toBe(path);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/api/private/v1/hosts',
    '/a\r\nset-cookie: b=c',
    '',
  ])('does not return to %j', (path) => {
    expect(returnPathIn(body({ returnTo: path }))).toBe('/');
  });
});
