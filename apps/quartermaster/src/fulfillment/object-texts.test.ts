import { create, type JsonObject } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { AuditEntrySchema } from '@quartermaster/api/fulfillment-extras';
import { secretPathsOf } from '@quartermaster/store';
import { describe, expect, it } from 'vitest';
import { plainPaint } from '../text/paint.ts';
import { columnsOf } from './kinds/columns.ts';
import type { KindPlural } from './kinds/kind.ts';
import { kindForms } from './kinds/kind-forms.ts';
import { byWritingOrder, kindNamed, kinds, kindTyped } from './kinds/kinds.ts';
import { nodeSetOf, typedValue } from './kinds/template-parameters.ts';
import { withoutSecrets } from './objects/object-json.ts';
import { auditTable } from './read/audit.ts';
import { objectDescription } from './read/describe-object.ts';
import { openingsText } from './read/openings.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const look = { exact: false, wide: false, now, paint: plainPaint, nameOf: (_kind: KindPlural, id: string) => (id === 'c-1' ? 'blue' : id) };

const host: JsonObject = {
  id: 'h-1',
  metadata: { name: 'gpu-1', creation_timestamp: '2026-01-01T09:00:00Z', version: '7', tenants: ['shared'] },
  spec: {
    class: 'large',
    rack: 'r1',
    rack_unit: 12,
    power_state: 'HOST_POWER_STATE_OFF',
    bmc: { url: 'https://b', password: '<redacted>' },
  },
  status: {
    state: 'HOST_STATE_FAILED',
    power_state: 'HOST_POWER_STATE_ON',
    cluster: 'c-1',
    source: { name: 'bcm' },
    conditions: [
      {
        type: 'HOST_CONDITION_TYPE_DEGRADED',
        status: 'CONDITION_STATUS_TRUE',
        last_transition_time: '2026-01-01T11:00:00Z',
        reason: 'FanFailed',
        message: 'Fan 3 stands still.',
      },
    ],
  },
};

function row(kind: KindPlural, object: JsonObject, options = { isWide: false, isPrivate: true }): Record<string, string> {
  return Object.fromEntries(columnsOf(kindNamed(kind), options).map((column) => [column.header, column.cell(object, look)]));
}

describe('columns', () => {
  it('show a host with the names of what it refers to, and how it is against what it shall be', () => {
    expect(row('hosts', host)).toEqual({
      NAME: 'gpu-1',
      CLASS: 'large',
      RACK: 'r1 U12',
      STATE: 'Failed',
      POWER: 'on, should be off',
      CLUSTER: 'blue',
      SOURCE: 'bcm',
      AGE: '3h',
    });
  });

  it('show that more than one source claims a host, and its description says which', () => {
    const condition = { type: 'HOST_CONDITION_TYPE_DISPUTED', reason: 'SourceConflict', message: '"bcm" and "netbox" have it' };
    const disputed = (state: string, status = 'CONDITION_STATUS_TRUE'): JsonObject => ({
      ...host,
      status: { state, conditions: [{ ...condition, status }] },
    });
    expect(row('hosts', disputed('HOST_STATE_READY'))['STATE']).toBe('Disputed');
    expect(row('hosts', disputed('HOST_STATE_UNSPECIFIED'))['STATE']).toBe('Disputed');
    expect(row('hosts', disputed('HOST_STATE_READY', 'CONDITION_STATUS_FALSE'))['STATE']).toBe('Ready');
  });

  it('show a tenant nothing of the provider', () => {
    const headers = (['hosts', 'clusters', 'host-pools'] as const).flatMap((kind) =>
      columnsOf(kindNamed(kind), { isWide: true, isPrivate: false }).map(({ header }) => header),
    );
    for (const hidden of ['RACK', 'SOURCE', 'SERIAL', 'BMC', 'BOOT MAC', 'HUB', 'ALIAS', 'PORT']) expect(headers).not.toContain(hidden);
  });

  it('say - for what is not there, the id where there is no name, and never - of a state', () => {
    expect(row('hosts', { id: 'h-2' })).toEqual({
      NAME: 'h-2',
      CLASS: '-',
      RACK: '-',
      STATE: 'Unknown',
      POWER: 'unknown',
      CLUSTER: '-',
      SOURCE: '-',
      AGE: '-',
    });
  });

  it('count the hosts of a cluster against those that it wants', () => {
    const cluster = {
      id: 'c-1',
      metadata: { deletion_timestamp: '2026-01-01T11:00:00Z' },
      spec: { node_sets: { a: { size: 2 }, b: { size: 1 } } },
      status: { node_sets: { a: { hosts: ['x'] } } },
    };
    expect(row('clusters', { ...cluster, metadata: {} })['STATE']).toBe('Ordered');
    expect(row('clusters', cluster)).toMatchObject({ HOSTS: '1 of 3', STATE: 'Being deleted' });
  });

  it('say of a secret only that it is there', () => {
    expect(row('hubs', { id: 'h', kubeconfig: 'PHJlZGFjdGVkPg==' })['KUBECONFIG']).toBe('stored');
    expect(row('hubs', { id: 'h', kubeconfig_ref: { file: '/k' } })['KUBECONFIG']).toBe('reference');
  });
});

describe('objectDescription', () => {
  it('shows all fields, conditions and names, and of secrets that they are set', () => {
    const text = objectDescription(
      { api: { kind: kindNamed('hosts'), isPrivate: true }, object: host, related: [], audit: undefined },
      look,
    );
    expect(text).toMatch(
      /^Host +gpu-1\nID +h-1\nState +Failed\nTenants +shared\nCreated +2026-01-01T09:00:00Z \(3h ago\) by nobody known\nVersion +7\n/,
    );
    expect(text).toContain('  bmc:\n    url: https://b\n    password: (set, not shown)\n');
    expect(text).toMatch(/Conditions\n {2}TYPE .*\n {2}Degraded +True +1h +FanFailed +Fan 3 stands still\.\n/);
    expect(text).toContain('status.cluster: blue (c-1)');
  });

  it('has no column for messages where the caller gets none, as a tenant does', () => {
    const conditions = [{ type: 'HOST_CONDITION_TYPE_FAILED', status: 'CONDITION_STATUS_TRUE', reason: 'DiskFailed' }];
    const object: JsonObject = { id: 'h-1', status: { conditions } };
    const text = objectDescription({ api: { kind: kindNamed('hosts'), isPrivate: false }, object, related: [], audit: undefined }, look);
    expect(text).toMatch(/Conditions\n {2}TYPE +STATUS +FOR +REASON\n {2}Failed +True +- +DiskFailed\n/);
  });
});

describe('openingsText', () => {
  it('names everybody who opened an object once, with the last time and in how many hours', () => {
    const opened = (actor: string, role: string, hour: number) =>
      create(AuditEntrySchema, { actor, role, outcome: 'revealed', at: timestampFromMs(Date.UTC(2026, 0, 1, hour)) });
    const entries = [opened('ann', 'admin', 9), opened('ann', 'admin', 7), opened('ctl', 'controller', 8)];
    expect(openingsText({ entries, isCut: false })).toMatch(/^WHO +ROLE +LAST +HOURS\nann +admin .* 2\nctl +controller .* 1\n$/);
    expect(openingsText({ entries, isCut: true })).toMatch(/controller .* 1\nOlder entries are left out: .*\n$/);
    expect(openingsText({ entries: [], isCut: false })).toBe('');
  });
});

describe('kinds with secrets', () => {
  it('are those of the contract', () => {
    const named = kinds.filter(({ hasSecrets }) => hasSecrets === true).map(({ plural }) => plural);
    expect(named).toEqual(kinds.map(({ plural }) => plural).filter((plural) => secretPathsOf(kindForms[plural].private.schema).length > 0));
  });
});

describe('auditTable', () => {
  it('tells one change in full and names several', () => {
    const change = (path: string) => ({ path, before: '"a"', after: '"b"' });
    const entry = (...paths: string[]) => create(AuditEntrySchema, { actor: 'ann', objectId: 'h', changes: paths.map(change) });
    const text = auditTable([entry('spec.rack'), entry('a', 'b', 'c', 'd', 'e')]);
    expect(text).toContain('spec.rack "a" → "b"\n');
    expect(text).toContain('a, b, c +2\n');
  });
});

describe('documents', () => {
  it('have no secrets, be they texts or bytes', () => {
    expect(withoutSecrets({ a: '<redacted>', b: { c: 'PHJlZGFjdGVkPg==', d: 1 } })).toEqual({ b: { d: 1 } });
  });
});

describe('flags of create', () => {
  it('read node sets', () => {
    expect(nodeSetOf('workers=3')).toEqual(['workers', { size: 3 }]);
    expect(nodeSetOf('workers=3:gpu')).toEqual(['workers', { size: 3, host_class: 'gpu' }]);
    expect(() => nodeSetOf('workers')).toThrow('must be NAME=SIZE');
  });

  it('give parameters the type of the template', () => {
    const type = (name: string): string => `type.googleapis.com/google.protobuf.${name}`;
    expect(typedValue(type('StringValue'), '5')).toEqual({ '@type': type('StringValue'), value: '5' });
    expect(typedValue(type('Int32Value'), '5')).toEqual({ '@type': type('Int32Value'), value: 5 });
    expect(typedValue(type('BoolValue'), 'true')).toEqual({ '@type': type('BoolValue'), value: true });
    expect(() => typedValue('x.Y', '5')).toThrow('cannot be given by flags');
  });
});

describe('names of kinds', () => {
  it.each(['host-classes', 'host-class', 'hostclass', 'hostclasses', 'host_classes'])('take %s', (text) => {
    expect(kindTyped(text).plural).toBe('host-classes');
  });

  it('have their singulars', () => {
    expect((['hosts', 'clusters', 'hubs', 'host-pools', 'cluster-templates'] as const).map((plural) => kindNamed(plural).field)).toEqual([
      'host',
      'cluster',
      'hub',
      'host_pool',
      'cluster_template',
    ]);
  });
});

describe('kinds', () => {
  it('have contracts of their names, and tenants those that are for them', () => {
    const contracts = kinds.map(({ plural }) => {
      const { private: own, public: tenants } = kindForms[plural];
      return [own.schema.typeName, own.service.typeName, tenants?.service.typeName];
    });
    expect(contracts).toEqual([
      ['private.v1.Host', 'private.v1.Hosts', 'fulfillment.v1.Hosts'],
      ['private.v1.HostClass', 'private.v1.HostClasses', 'fulfillment.v1.HostClasses'],
      ['private.v1.ClusterTemplate', 'private.v1.ClusterTemplates', 'fulfillment.v1.ClusterTemplates'],
      ['private.v1.Cluster', 'private.v1.Clusters', 'fulfillment.v1.Clusters'],
      ['private.v1.Hub', 'private.v1.Hubs', undefined],
      ['private.v1.HostPool', 'private.v1.HostPools', 'fulfillment.v1.HostPools'],
    ]);
  });

  it('are written after those that they are made from', () => {
    const order = kinds.map(({ plural }) => plural).toSorted(byWritingOrder);
    expect(order).toEqual(['host-classes', 'hubs', 'cluster-templates', 'host-pools', 'hosts', 'clusters']);
  });
});
