import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kinds } from '../generated/kinds.ts';
import { collectionPath, describeRef, objectPath, requireNamespace } from './resource-path.ts';

const invalid = expect.objectContaining({ name: 'StatusError', code: 'invalid_argument' });

describe('the path of a collection', () => {
  it.each([
    [kinds.pods, 'default', '/api/v1/namespaces/default/pods'],
    [kinds.pods, undefined, '/api/v1/pods'],
    [kinds.pods, '', '/api/v1/pods'],
    [kinds.deployments, 'default', '/apis/apps/v1/namespaces/default/deployments'],
    [kinds.nodes, undefined, '/api/v1/nodes'],
    [kinds.storageClasses, undefined, '/apis/storage.k8s.io/v1/storageclasses'],
  ])('of %o in namespace %s is %s', (type, namespace, path) => {
    expect(collectionPath(type, namespace)).toBe(path);
  });

  it('of a cluster-scoped kind has no namespace even when one is given', () => {
    expect(collectionPath(kinds.nodes, 'default')).toBe('/api/v1/nodes');
  });
});

describe('the path of an object', () => {
  it('ends with its name', () => {
    expect(objectPath(kinds.pods, { namespace: 'default', name: 'web' })).toBe('/api/v1/namespaces/default/pods/web');
    expect(objectPath(kinds.namespaces, { name: 'default' })).toBe('/api/v1/namespaces/default');
  });

  it('ends with the subresource where one is asked for', () => {
    expect(objectPath(kinds.pods, { namespace: 'default', name: 'web' }, 'log')).toBe('/api/v1/namespaces/default/pods/web/log');
  });

  it('has any allowed name in exactly one segment, which decodes to the name', () => {
    const characters = fc.constantFrom(...Array.from('abc019.-_~:;,?#&=+$@!*()[]{}<>|\\^"\' \t\n'), 'ü', '亀', '🐢');
    const name = fc.string({ unit: characters, minLength: 1 }).filter((text) => text !== '.' && text !== '..');
    fc.assert(
      fc.property(name, (text) => {
        const segments = objectPath(kinds.clusterRoles, { name: text }).split('/');
        expect(segments).toHaveLength(6);
        expect(decodeURIComponent(segments[5] ?? '')).toBe(text);
      }),
    );
  });

  it('never leads to another object, whatever the name', () => {
    fc.assert(
      fc.property(fc.constantFrom('.', '..', '../secrets/key', 'a/b', 'a%2fb', '%2e%2e', ''), (name) => {
        expect(() => objectPath(kinds.pods, { namespace: 'default', name })).toThrow(invalid);
      }),
    );
  });

  it.each(['..', 'a/b', 'kube%2fsystem'])('is refused for the namespace %s', (namespace) => {
    expect(() => objectPath(kinds.pods, { namespace, name: 'web' })).toThrow(invalid);
  });

  it('is refused for a namespaced kind without a namespace', () => {
    expect(() => objectPath(kinds.pods, { name: 'web' })).toThrow('Pod is namespaced: metadata.namespace must be set');
    expect(() => objectPath(kinds.pods, { namespace: '', name: 'web' })).toThrow(invalid);
  });
});

describe('requireNamespace', () => {
  it('asks for one exactly where the kind is namespaced', () => {
    expect(() => requireNamespace(kinds.pods, undefined)).toThrow(invalid);
    expect(() => requireNamespace(kinds.pods, 'default')).not.toThrow();
    expect(() => requireNamespace(kinds.nodes, undefined)).not.toThrow();
  });
});

describe('describeRef', () => {
  it('names the kind and the object', () => {
    expect(describeRef(kinds.pods, { namespace: 'default', name: 'web' })).toBe('pods default/web');
    expect(describeRef(kinds.nodes, { name: 'one' })).toBe('nodes one');
    expect(describeRef(kinds.nodes, { namespace: 'default', name: 'one' })).toBe('nodes one');
  });
});
