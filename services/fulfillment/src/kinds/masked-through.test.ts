import { create, equals } from '@bufbuild/protobuf';
import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import { maskedThrough, parseMask } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessage } from '../../test/arbitrary-message.ts';
import { testRules } from '../../test/test-rules.ts';
import { clusterRules } from '../rules/index.ts';
import { clusterKind } from './cluster-kind.ts';
import { hostKind } from './host-kind.ts';

const hosts = hostKind(testRules);

const hostOutputOnly = { secrets: hosts.secretPaths, outputOnly: [...hosts.rules.outputOnly, ...hosts.rules.publicOutputOnly] };
const free = { secrets: [], outputOnly: [] };

describe('an update with a mask through the public API', () => {
  it('leaves everything alone that the API does not show, also when the mask names what lies above it', () => {
    const stored = create(priv.HostSchema, {
      id: 'h',
      metadata: { name: 'old', finalizers: ['f'] },
      spec: { title: 'old', rack: 'r1', bmc: { url: 'u', password: '<redacted>' } },
      status: { hub: 'hub' },
    });
    const input = create(pub.HostSchema, { id: 'h', metadata: { name: 'new' }, spec: { title: 'new' } });
    const { object, violations } = maskedThrough(
      hosts.projection,
      stored,
      input,
      parseMask(pub.HostSchema, ['metadata', 'spec']),
      hostOutputOnly,
    );
    expect(violations).toEqual([]);
    expect(object).toMatchObject({
      metadata: { name: 'new', finalizers: ['f'] },
      spec: { title: 'new', rack: 'r1', bmc: { url: 'u', password: '<redacted>' } },
      status: { hub: 'hub' },
    });
  });

  it('never changes a private part of a host, whatever the mask', () => {
    const paths = fc.subarray([
      'id',
      'metadata',
      'metadata.labels',
      'metadata.labels.a',
      'spec',
      'spec.title',
      'status',
      'status.conditions',
    ]);
    // An element of a list that is taken away goes with all that it had, what is not shown of it among that.
    const storedHosts = arbitraryMessage(priv.HostSchema).map((host) => {
      for (const condition of host.status?.conditions ?? []) delete condition.message;
      return host;
    });
    fc.assert(
      fc.property(storedHosts, arbitraryMessage(pub.HostSchema), paths, (stored, input, mask) => {
        const { object } = maskedThrough(hosts.projection, stored, input, parseMask(pub.HostSchema, mask), free);
        const restored = hosts.projection.toPrivate(hosts.projection.toPublic(stored), object);
        const whole = hosts.projection.toPrivate(hosts.projection.toPublic(stored), stored);
        for (const part of [restored, whole]) {
          part.spec ??= create(priv.HostSpecSchema);
          part.status ??= create(priv.HostStatusSchema);
          part.metadata ??= create(priv.MetadataSchema);
        }
        return equals(priv.HostSchema, restored, whole);
      }),
    );
  });

  it('refuses a path to what only the service writes, and keeps hosts of node sets', () => {
    const stored = create(priv.ClusterSchema, {
      spec: { nodeSets: { w: { size: 1 } } },
      status: { state: 1, nodeSets: { w: { hosts: ['h1'] } } },
    });
    const input = create(pub.ClusterSchema, { spec: { nodeSets: { w: { size: 2 } } }, status: { state: 2 } });
    const rules = { secrets: clusterKind.secretPaths, outputOnly: [...clusterRules.outputOnly, ...clusterRules.publicOutputOnly] };
    const { object, violations } = maskedThrough(
      clusterKind.projection,
      stored,
      input,
      parseMask(pub.ClusterSchema, ['spec.node_sets.w.size', 'status']),
      rules,
    );
    expect(violations.map(({ field }) => field)).toEqual(['status']);
    expect(object).toMatchObject({ spec: { nodeSets: { w: { size: 2 } } }, status: { state: 1, nodeSets: { w: { hosts: ['h1'] } } } });
  });
});
