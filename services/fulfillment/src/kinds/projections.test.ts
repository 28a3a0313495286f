import { clone, create, type DescMessage, equals, type MessageShape } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { anyPack, StringValueSchema, timestampFromMs } from '@bufbuild/protobuf/wkt';
import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import { type Projection, parseMask, projectionOf } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessage } from '../../test/arbitrary-message.ts';
import { testRules } from '../../test/test-rules.ts';
import { clusterKind } from './cluster-kind.ts';
import { clusterTemplateKind } from './cluster-template-kind.ts';
import { hostClassKind } from './host-class-kind.ts';
import { hostKind } from './host-kind.ts';
import { hostPoolKind } from './host-pool-kind.ts';

const host = hostKind(testRules);

const metadata = ['creation_timestamp', 'deletion_timestamp', 'creators', 'name', 'tenants', 'labels', 'annotations', 'version'].map(
  (name) => `metadata.${name}`,
);
const condition = (path: string): string[] => ['type', 'status', 'last_transition_time', 'reason'].map((name) => `${path}.*.${name}`);

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
  ['Host', host.projection],
  ['HostClass', hostClassKind.projection],
  ['HostPool', hostPoolKind.projection],
  ['ClusterTemplate', clusterTemplateKind.projection],
  ['Cluster', clusterKind.projection],
];

describe.each(projections)('the public %s', (name, projection) => {
  const { publicSchema, privateSchema } = projection;
  const texts = fc.constantFrom('', 'x', 'y', 'no reason');
  const privates = arbitraryMessage(privateSchema, { texts });
  const publics = arbitraryMessage(publicSchema, { texts });

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
        return equals(publicSchema, compact(publicSchema, shown), compact(publicSchema, withoutTexts(publicSchema, object)));
      }),
    );
  });

  it('has no message of a condition, whatever it says, and keeps filters from it, and no reason that is a text', () => {
    const hasConditions = projection.unfilterable.length > 0;
    expect(projection.unfilterable).toEqual(hasConditions ? ['status.conditions.message'] : []);
    expect(hasConditions).toBe(publicSchema.field['status'] !== undefined);
    fc.assert(
      fc.property(privates, (stored) => {
        const shown = projection.toPublic(stored);
        return equals(publicSchema, shown, withoutTexts(publicSchema, shown));
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

/** The object without the messages of its conditions and without reasons that are texts. */
function withoutTexts<Desc extends DescMessage>(schema: Desc, object: MessageShape<Desc>): MessageShape<Desc> {
  const result = clone(schema, object);
  const strip = (part: ReflectMessage): void => {
    for (const field of part.fields) {
      if (field.fieldKind === 'message' && part.isSet(field)) strip(part.get(field));
      if (field.fieldKind !== 'list' || field.name !== 'conditions') continue;
      for (const item of part.get(field)) {
        if (!isReflectMessage(item)) continue;
        for (const each of item.fields) {
          if (each.name === 'message' || (each.name === 'reason' && item.get(each) === 'no reason')) item.clear(each);
        }
      }
    }
  };
  strip(reflect(schema, result, false));
  return result;
}

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
    const written = host.projection.toPrivate(create(pub.HostSchema, { spec: { title: 'new' } }), stored);
    expect(written).toMatchObject({
      metadata: { finalizers: ['f'] },
      spec: { bmc: { password: 'p' }, rack: 'r', title: 'new' },
      status: { hub: 'h' },
    });
  });

  it('tells of a condition what it is, since when and for which reason, and not what the provider is told', () => {
    const degraded = {
      type: priv.HostConditionType.DEGRADED,
      status: pub.ConditionStatus.TRUE,
      lastTransitionTime: timestampFromMs(1_000),
    };
    const stored = create(priv.HostSchema, {
      status: { conditions: [{ ...degraded, reason: 'DiskFailed', message: '10.1.2.3 said: login as root failed' }] },
    });
    expect(host.projection.toPublic(stored)).toEqual(
      create(pub.HostSchema, { status: { conditions: [{ ...degraded, reason: 'DiskFailed' }] } }),
    );
  });

  it('gives the message of a condition to no other one when the list is written', () => {
    const [one, other] = [
      { type: priv.HostConditionType.PROGRESSING, reason: 'One', message: 'for one' },
      { type: priv.HostConditionType.READY, reason: 'Other', message: 'for the other' },
    ] as const;
    const stored = create(priv.HostSchema, { status: { conditions: [one, other] } });
    const swapped = create(pub.HostSchema, {
      status: {
        conditions: [
          { type: 2, reason: 'Other' },
          { type: 1, reason: 'One' },
        ],
      },
    });
    const written = host.projection.toPrivate(swapped, stored);
    expect(written.status?.conditions.map(({ message }) => message)).toEqual([undefined, undefined]);
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
      expect(() => parseMask(host.projection.publicSchema, [path])).toThrow('has no field');
    }
    for (const path of ['status.hub', 'status.alias', 'status.port', 'status.kubeconfig', 'status.password']) {
      expect(() => parseMask(clusterKind.projection.publicSchema, [path])).toThrow('has no field');
    }
  });

  it('cannot be made when the public type has what the private one lacks', () => {
    expect(() => projectionOf(pub.HostSchema, priv.HubSchema)).toThrow('fulfillment.v1.Host.spec has no counterpart in private.v1.Hub');
  });
});
