import { describe, expect, it } from 'vitest';
import { seenClaim } from './claim-sight.ts';
import { seenDeployment, seenStatefulSet } from './workload-sight.ts';

const metadata = { name: 'web', labels: { 'akash.network/manifest-service': 'web' }, generation: 3 };
const spec = { replicas: 2, selector: {}, template: {} };
const status = { observedGeneration: 3, replicas: 2, availableReplicas: 1, readyReplicas: 2, updatedReplicas: 1 };
const seen = { service: 'web', available: 1, ready: 2, updated: 1, isObserved: true };

describe('a workload of a lease', () => {
  it('is seen by its figures', () => {
    expect(seenDeployment({ metadata, spec, status })).toEqual({ ...seen, kind: 'Deployment' });
    expect(seenStatefulSet({ metadata, spec, status })).toEqual({ ...seen, kind: 'StatefulSet' });
  });

  it('is not observed until its controller has looked at the newest version', () => {
    expect(seenDeployment({ metadata, status: { ...status, observedGeneration: 2 } }).isObserved).toBe(false);
    expect(seenStatefulSet({ metadata }).isObserved).toBe(false);
  });

  it('says why its pods cannot be made, while that is so', () => {
    const failureOf = (condition: { status: string; message?: string }) =>
      seenDeployment({ metadata, status: { conditions: [{ type: 'ReplicaFailure', ...condition }] } }).failure;
    expect(failureOf({ status: 'True', message: 'exceeded quota' })).toBe('exceeded quota');
    expect(failureOf({ status: 'True' })).toBe('its controller does not say why');
    expect(failureOf({ status: 'False', message: 'exceeded quota' })).toBeUndefined();
  });
});

describe('a claim of a lease', () => {
  it('is seen with what it asked for, and where its volume is to be', () => {
    const annotations = { 'volume.kubernetes.io/selected-node': 'n-1' };
    const asked = { storageClassName: 'beta1', resources: { requests: { storage: '10Gi' } } };
    const claim = { metadata: { name: 'web-data-web-0', annotations }, spec: asked, status: { phase: 'Bound' } };
    expect(seenClaim(claim)).toEqual({ name: 'web-data-web-0', phase: 'Bound', storageClass: 'beta1', bytes: 10 * 2 ** 30, node: 'n-1' });
    expect(seenClaim({ metadata: { name: 'x' } })).toEqual({ name: 'x', phase: '', storageClass: '', bytes: 0, node: '' });
  });
});
