import { type KubeObject, kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { controllerOf, isOwnedBy, ownerReference, withOwner } from './owner-references.ts';

const owner = { metadata: { namespace: 'ns', name: 'web', uid: 'u-1' } };
const node = { metadata: { name: 'node-1', uid: 'u-2' } };
const child: KubeObject = { kind: 'ConfigMap', metadata: { namespace: 'ns', name: 'child' } };

describe('ownerReference', () => {
  it('names the owner by kind, name and uid, as its controller unless told otherwise', () => {
    const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u-1', controller: true, blockOwnerDeletion: true };
    expect(ownerReference(kinds.deployments, owner)).toEqual(reference);
    expect(ownerReference(kinds.deployments, owner, { controller: false, blockOwnerDeletion: false })).toEqual({
      ...reference,
      controller: false,
      blockOwnerDeletion: false,
    });
  });

  it('refuses an owner that the server has not stored', () => {
    expect(() => ownerReference(kinds.deployments, { metadata: { name: 'web' } })).toThrow('metadata.uid');
  });
});

describe('withOwner', () => {
  it('adds the owner to a copy, once', () => {
    const owned = withOwner(withOwner(child, kinds.deployments, owner), kinds.deployments, owner);
    expect(owned.metadata?.ownerReferences).toHaveLength(1);
    expect(child.metadata).not.toHaveProperty('ownerReferences');
    expect(isOwnedBy(owned, owner)).toBe(true);
    expect(isOwnedBy(owned, { metadata: { ...owner.metadata, uid: 'recreated' } })).toBe(false);
    expect(isOwnedBy(child, owner)).toBe(false);
    expect(controllerOf(owned)?.name).toBe('web');
    expect(controllerOf(child)).toBeUndefined();
  });

  it('admits a cluster-scoped owner of anything', () => {
    expect(isOwnedBy(withOwner(child, kinds.nodes, node), node)).toBe(true);
    expect(isOwnedBy(withOwner({ metadata: { name: 'volume' } }, kinds.nodes, node), node)).toBe(true);
  });

  it('refuses an owner in another namespace and names the way out', () => {
    const elsewhere = { kind: 'ConfigMap', metadata: { namespace: 'other', name: 'child' } };
    expect(() => withOwner(elsewhere, kinds.deployments, owner)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('finalizer') }),
    );
  });

  it('refuses a namespaced owner of a cluster-scoped object', () => {
    expect(() => withOwner({ kind: 'PersistentVolume', metadata: { name: 'v' } }, kinds.deployments, owner)).toThrow('cluster-scoped');
  });

  it('refuses a second controller, and admits a second owner', () => {
    const taken = withOwner(child, kinds.nodes, node);
    expect(() => withOwner(taken, kinds.deployments, owner)).toThrow('controlled by Node node-1');
    const shared = withOwner(taken, kinds.deployments, owner, { controller: false });
    expect(shared.metadata?.ownerReferences).toHaveLength(2);
    expect(controllerOf(shared)?.name).toBe('node-1');
  });
});
