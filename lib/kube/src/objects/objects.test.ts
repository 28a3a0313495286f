import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyText, parseKey, refOf } from './objects.ts';

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9.:]{0,20}[a-z0-9])?$/);

describe('a key', () => {
  it('gives back the reference that it was made of', () => {
    fc.assert(
      fc.property(fc.option(label, { nil: undefined }), label, (namespace, name) => {
        const ref = namespace === undefined ? { name } : { namespace, name };
        expect(parseKey(keyText(ref))).toEqual(ref);
      }),
    );
  });

  it('is the same for an empty namespace as for none', () => {
    expect(keyText({ namespace: '', name: 'one' })).toBe(keyText({ name: 'one' }));
  });

  it('differs between a cluster-scoped object and one in a namespace', () => {
    expect(keyText({ name: 'one' })).toBe('one');
    expect(keyText({ namespace: 'default', name: 'one' })).toBe('default/one');
  });
});

describe('refOf', () => {
  it('reads namespace and name', () => {
    expect(refOf({ metadata: { namespace: 'default', name: 'web' } })).toEqual({ namespace: 'default', name: 'web' });
  });

  it('has no namespace for cluster-scoped objects', () => {
    expect(refOf({ metadata: { name: 'one' } })).toEqual({ name: 'one' });
    expect(refOf({ metadata: { namespace: '', name: 'one' } })).toEqual({ name: 'one' });
  });

  it('refuses an object without a name, naming its kind', () => {
    expect(() => refOf({ kind: 'Pod', metadata: { generateName: 'web-' } })).toThrow('Pod has no metadata.name');
    expect(() => refOf({ metadata: { name: '' } })).toThrow('object has no metadata.name');
  });
});
