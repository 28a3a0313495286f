import { clone, create, type DescMessage, equals, type MessageShape } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { anyPack, StringValueSchema } from '@bufbuild/protobuf/wkt';
import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import { type Projection, parseMask, projectionOf } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessage } from '../../test/arbitrary-message.ts';
import { clusterKind } from './cluster-kind.ts';
import { clusterTemplateKind } from './cluster-template-kind.ts';
import { hostClassKind } from './host-class-kind.ts';
import { hostKind } from './host-kind.ts';
import { hostPoolKind } from './host-pool-kind.ts';

const metadata = ['creation_timestamp', 'deletion_timestamp', 'creators', 'name', 'tenants', 'labels', 'annotations', 'version'].map(
  (name) => `metadata.${name}`,
);
const condition = (path: string): string[] =>
  ['type', 'status', 'last_transition_time', 'reason', 'message'].map((name) => `${path}.*.${name}`);

/** Everything that a tenant may see. A new public field must be thought about before it is added here. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  Host: [
    'id',
    ...metadata,
    'spec.power_state',
    'spec.class',
    'spec.title',
    'spec.description',
    'status.state',
    'status.power_state',
    ...condition('status.conditions'),
    'status.cluster',
  ],
  HostClass: ['id', ...metadata, 'title', 'description'],
  HostPool: [
    'id',
    ...metadata,
    'spec.host_sets.*.host_class',
    'spec.host_sets.*.size',
    'status.state',
    'status.hosts',
    ...condition('status.conditions'),
    'status.host_sets.*.host_class',
    'status.host_sets.*.size',
  ],
  ClusterTemplate: [
    'id',
    ...metadata,
    'title',
    'description',
    ...['name', 'title', 'description', 'required', 'type', 'default'].map((name) => `parameters.*.${name}`),
    'node_sets.*.host_class',
    'node_sets.*.size',
  ],
  Cluster: [
    'id',
    ...metadata,
    'spec.template',
    'spec.template_parameters',
    ...['host_class', 'size', 'hosts'].map((name) => `spec.node_sets.*.${name}`),
    'status.state',
    ...condition('status.conditions'),
    'status.api_url',
    'status.console_url',
    ...['host_class', 'size', 'hosts'].map((name) => `status.node_sets.*.${name}`),
  ],
};

const projections: readonly (readonly [string, Projection<DescMessage, DescMessage>])[] = [
  ['Host', hostKind.projection],
  ['HostClass', hostClassKind.projection],
  ['HostPool', hostPoolKind.projection],
  ['ClusterTemplate', clusterTemplateKind.projection],
  ['Cluster', clusterKind.projection],
];

describe.each(projections)('the public %s', (name, projection) => {
  const { publicSchema, privateSchema } = projection;
  const privates = arbitraryMessage(privateSchema);
  const publics = arbitraryMessage(publicSchema);

  it('has the fields on the list and no others', () => {
    expect(projection.publicPaths.toSorted()).toEqual([...(allowed[name] ?? [])].toSorted());
  });

  it('has nothing in lists that the private type has more of: elements are replaced as a whole', () => {
    const lists = (message: DescMessage): DescMessage[] =>
      message.fields.flatMap(({ fieldKind, message: part }) =>
        part === undefined ? [] : [...(fieldKind === 'list' ? [part] : []), ...lists(part)],
      );
    const names = (message: DescMessage): string[] => message.fields.map((field) => field.name);
    const shared = lists(publicSchema).map((part) => [part.name, names(part)]);
    expect(lists(privateSchema).map((part) => [part.name, names(part)])).toEqual(expect.arrayContaining(shared));
  });

  it('shows the same after a round trip, and the round trip changes nothing that is stored', () => {
    fc.assert(fc.property(privates, (stored) => equals(privateSchema, projection.toPrivate(projection.toPublic(stored), stored), stored)));
  });

  it('shows what was written through it', () => {
    fc.assert(
      fc.property(publics, privates, (object, stored) => {
        const shown = projection.toPublic(projection.toPrivate(object, stored));
        return equals(publicSchema, compact(publicSchema, shown), compact(publicSchema, object));
      }),
    );
  });

  it('shows nothing that differs between two objects only in what is private', () => {
    fc.assert(
      fc.property(privates, privates, (one, other) => {
        const mixed = projection.toPrivate(projection.toPublic(one), other);
        const [shown, expected] = [projection.toPublic(mixed), projection.toPublic(one)];
        return equals(publicSchema, compact(publicSchema, shown), compact(publicSchema, expected));
      }),
    );
  });
});

/** An empty message and an absent one show the same. */
function compact<Desc extends DescMessage>(schema: Desc, object: MessageShape<Desc>): MessageShape<Desc> {
  const result = clone(schema, object);
  const strip = (part: ReflectMessage): boolean => {
    for (const field of part.fields) if (field.fieldKind === 'message' && part.isSet(field) && strip(part.get(field))) part.clear(field);
    return part.fields.every((field) => !part.isSet(field));
  };
  strip(reflect(schema, result));
  return result;
}

describe('a projection', () => {
  it('keeps what is private of an entry that stays, and takes away an entry with all it has', () => {
    const stored = create(priv.HostSchema, {
      metadata: { finalizers: ['f'] },
      spec: { bmc: { password: 'p' }, rack: 'r', title: 'old' },
      status: { hub: 'h', cluster: 'c' },
    });
    const written = hostKind.projection.toPrivate(create(pub.HostSchema, { spec: { title: 'new' } }), stored);
    expect(written).toMatchObject({
      metadata: { finalizers: ['f'] },
      spec: { bmc: { password: 'p' }, rack: 'r', title: 'new' },
      status: { hub: 'h' },
    });
  });

  it('tells that sources are in conflict about a host, and not which: those are the business of the provider', () => {
    const message = 'says "bcm" and "netbox"';
    const degraded = { type: priv.HostConditionType.DEGRADED, status: pub.ConditionStatus.TRUE, message };
    const shown = (reason: string) =>
      hostKind.projection.toPublic(create(priv.HostSchema, { status: { conditions: [{ ...degraded, reason }] } })).status?.conditions[0];
    expect(shown('DiskFailed')).toMatchObject({ type: 4, reason: 'DiskFailed', message });
    expect(shown('SourceConflict')).toMatchObject({ type: 4, status: 1, reason: 'SourceConflict' });
    expect(shown('SourceConflict')?.message).toBeUndefined();
    expect(hostKind.projection.unfilterable).toEqual(['status.conditions.message']);
  });

  it('carries template parameters as they are', () => {
    const parameter = anyPack(StringValueSchema, create(StringValueSchema, { value: 'x' }));
    const cluster = create(priv.ClusterSchema, { spec: { templateParameters: { p: parameter } } });
    expect(clusterKind.projection.toPublic(cluster).spec?.templateParameters['p']).toEqual(parameter);
  });

  it('does not let a mask name what is private', () => {
    for (const path of [
      'spec.bmc',
      'spec.bmc.password',
      'spec.rack',
      'status.hub',
      'metadata.finalizers',
      'status.source',
      'spec.serial',
    ]) {
      expect(() => parseMask(hostKind.projection.publicSchema, [path])).toThrow('has no field');
    }
    for (const path of ['status.hub', 'status.alias', 'status.port', 'status.kubeconfig', 'status.password']) {
      expect(() => parseMask(clusterKind.projection.publicSchema, [path])).toThrow('has no field');
    }
  });

  it('cannot be made when the public type has what the private one lacks', () => {
    expect(() => projectionOf(pub.HostSchema, priv.HubSchema)).toThrow('fulfillment.v1.Host.spec has no counterpart in private.v1.Hub');
  });
});
