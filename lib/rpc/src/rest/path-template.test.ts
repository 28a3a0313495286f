import { describe, expect, it } from 'vitest';
import { pathTemplate } from './path-template.ts';

const match = (template: string, path: string): unknown => {
  const found = pathTemplate(template).match(path);
  return found === undefined ? undefined : Object.fromEntries(found);
};

describe('pathTemplate', () => {
  it.each([
    ['/v1/hosts', '/v1/hosts', {}],
    ['/v1/hosts', '/v1/hosts/a', undefined],
    ['/v1/hosts/{id}', '/v1/hosts/a', { id: 'a' }],
    ['/v1/hosts/{id}', '/v1/hosts/a/b', undefined],
    ['/v1/hosts/{id}', '/v1/hosts/', undefined],
    ['/v1/hosts/{object.id}/x', '/v1/hosts/a/x', { 'object.id': 'a' }],
    ['/v1/{name=racks/*/hosts/*}', '/v1/racks/r1/hosts/h1', { name: 'racks/r1/hosts/h1' }],
    ['/v1/{name=racks/*}', '/v1/other/r1', undefined],
    ['/v1/gpu/{gpu=**}', '/v1/gpu/nvidia/h100', { gpu: 'nvidia/h100' }],
    ['/v1/hosts/{id}:reboot', '/v1/hosts/a:reboot', { id: 'a' }],
    ['/v1/hosts/{id}:reboot', '/v1/hosts/a', undefined],
    ['/v1.0/a+b', '/v1.0/a+b', {}],
    ['/v1.0/a+b', '/v1x0/aab', undefined],
    ['/v1/hosts/{id}', '/v1/hosts/a%2Fb%20c', { id: 'a/b c' }],
  ])('%s on %s', (template, path, expected) => {
    expect(match(template, path)).toEqual(expected);
  });

  it('refuses invalid percent-encoding', () => {
    expect(() => match('/v1/hosts/{id}', '/v1/hosts/%zz')).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});
