import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GatewayRoute, RouteTable } from './gateway-route.ts';

const route = (method: 'GET' | 'PUT' | 'POST', path: string): GatewayRoute => ({
  kind: 'public',
  method,
  path,
  answer: async () => ({ json: {} }),
});
const table = new RouteTable([
  route('GET', '/version'),
  route('PUT', '/deployment/{dseq}/manifest'),
  route('GET', '/lease/{dseq}/{gseq}/{oseq}/status'),
  route('GET', '/lease/{dseq}/{gseq}/{oseq}/service/{service}/status'),
]);
const found = (url: string, method = 'GET') => {
  const { route: of, parts, query } = table.find(method, url);
  return [of.path, parts, query.toString()];
};

describe('the table of routes', () => {
  it('finds a route by method and path, with its parts and its query', () => {
    expect(found('/version')).toEqual(['/version', {}, '']);
    expect(found('/lease/7/1/2/status?a=1&a=2')).toEqual([
      '/lease/{dseq}/{gseq}/{oseq}/status',
      { dseq: '7', gseq: '1', oseq: '2' },
      'a=1&a=2',
    ]);
    expect(found('/deployment/7/manifest?', 'PUT')).toEqual(['/deployment/{dseq}/manifest', { dseq: '7' }, '']);
  });

  it('decodes a part once, and takes what it has encoded for no path', () => {
    const service = (part: string) => found(`/lease/7/1/1/service/${part}/status`)[1];
    expect(service('a%2Fb')).toMatchObject({ service: 'a/b' });
    expect(service('%252F')).toMatchObject({ service: '%2F' });
    expect(service('..')).toMatchObject({ service: '..' });
    expect(service('a%3Fb%23')).toMatchObject({ service: 'a?b#' });
    expect(found('/version?x=/lease/7/1/1/status')).toEqual(['/version', {}, 'x=%2Flease%2F7%2F1%2F1%2Fstatus']);
  });

  it.each([
    ['a path of nobody', '/'],
    ['an empty one', ''],
    ['a slash too many in front', '//version'],
    ['one behind', '/version/'],
    ['one between', '/lease/7/1//status'],
    ['dots that would be resolved', '/x/../version'],
    ['dots instead of a number', '/lease/7/1/1/../status'],
    ['an encoded slash', '/lease/7%2F1/1/status'],
    ['an encoded name', '/%76ersion'],
    ['another case', '/VERSION'],
    ['a fragment', '/version#x'],
    ['a blank', '/version '],
    ['a line break', '/version\n'],
    ['a whole URL', 'https://other.example/version'],
    ['a star', '*'],
  ])('finds nothing at %s', (_what, url) => {
    expect(() => table.find('GET', url)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('finds nothing with another method, and answers no more of a request than it needs', () => {
    for (const method of ['POST', 'HEAD', 'OPTIONS', 'get', '', 'X'.repeat(1_000)])
      expect(() => table.find(method, `/version?${'x'.repeat(10_000)}`)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => table.find('GET', `/${'x'.repeat(10_000)}`)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,300}$/) }),
    );
  });

  it.each([
    ['%', 'dseq in the path: has invalid percent-encoding'],
    ['%ff', 'dseq in the path: has invalid percent-encoding'],
    ['1'.repeat(254), 'dseq in the path: must have at most 253 characters'],
  ])('refuses the part %s', (part, message) => {
    expect(() => table.find('GET', `/lease/${part}/1/1/status`)).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
  });

  it('gives each part back as it was, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }), (text) => {
        fc.pre(text.isWellFormed());
        expect(found(`/lease/7/1/1/service/${encodeURIComponent(text)}/status`)[1]).toMatchObject({ service: text });
      }),
    );
  });
});
