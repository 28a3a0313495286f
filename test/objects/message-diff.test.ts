import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { anyPack, StringValueSchema, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ClusterSchema, HostPowerState, HostSchema, HubSchema } from '@quartermaster/api/private';
import { diffMessages } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const host = (init: MessageInitShape<typeof HostSchema>) => create(HostSchema, init);
const cluster = (init: MessageInitShape<typeof ClusterSchema>) => create(ClusterSchema, init);
const secretPaths = ['spec.bmc.password'];

const diffHosts = (before: Parameters<typeof host>[0] | undefined, after: Parameters<typeof host>[0]) =>
  diffMessages(HostSchema, before === undefined ? undefined : host(before), host(after), { secretPaths });
const diffClusters = (before: Parameters<typeof cluster>[0], after: Parameters<typeof cluster>[0]) =>
  diffMessages(ClusterSchema, cluster(before), cluster(after), { secretPaths: [] });

describe('differences of messages', () => {
  it('are the fields that changed, with both values as JSON', () => {
    expect(
      diffHosts(
        { spec: { rack: 'a', class: 'c', powerState: HostPowerState.ON, rackUnit: 3 } },
        { spec: { rack: 'b', class: 'c', powerState: HostPowerState.OFF, bmc: { insecure: true } } },
      ),
    ).toEqual([
      { path: 'spec.power_state', before: '"HOST_POWER_STATE_ON"', after: '"HOST_POWER_STATE_OFF"' },
      { path: 'spec.bmc.insecure', before: '', after: 'true' },
      { path: 'spec.rack', before: '"a"', after: '"b"' },
      { path: 'spec.rack_unit', before: '3', after: '' },
    ]);
  });

  it('are none between equal messages, nor in what every write changes', () => {
    expect(diffHosts({ id: 'h', metadata: { version: 1n } }, { id: 'h', metadata: { version: 2n } })).toEqual([]);
  });

  it('of a new object are everything that it has', () => {
    expect(diffHosts(undefined, { id: 'h', metadata: { name: 'one', tenants: ['t', 'u'] } })).toEqual([
      { path: 'metadata.tenants', before: '', after: '["t","u"]' },
      { path: 'metadata.name', before: '', after: '"one"' },
    ]);
  });

  it('go by key in maps, whose siblings stay out of it', () => {
    expect(
      diffClusters(
        { metadata: { labels: { keep: '1', drop: '2' } }, spec: { nodeSets: { w: { hostClass: 'c', size: 1 }, x: { size: 1 } } } },
        { metadata: { labels: { keep: '1', "it's": '3' } }, spec: { nodeSets: { w: { hostClass: 'c', size: 2 }, x: { size: 1 } } } },
      ),
    ).toEqual([
      { path: "metadata.labels['drop']", before: '"2"', after: '' },
      { path: 'metadata.labels["it\'s"]', before: '', after: '"3"' },
      { path: "spec.node_sets['w'].size", before: '1', after: '2' },
    ]);
  });

  it('go by index in lists of messages', () => {
    expect(
      diffHosts(
        { spec: { nics: [{ mac: 'a' }, { mac: 'b', name: 'eth1' }] } },
        { spec: { nics: [{ mac: 'a' }, { mac: 'b', name: 'eth2' }, { mac: 'c', speedMbps: 1000n }] } },
      ),
    ).toEqual([
      { path: 'spec.nics[1].name', before: '"eth1"', after: '"eth2"' },
      { path: 'spec.nics[2].mac', before: '', after: '"c"' },
      { path: 'spec.nics[2].speed_mbps', before: '', after: '1000' },
    ]);
  });

  it('show times and what an Any holds as JSON does', () => {
    const known = anyPack(StringValueSchema, create(StringValueSchema, { value: 'x' }));
    expect(
      diffClusters(
        {},
        {
          metadata: { deletionTimestamp: timestampFromMs(0) },
          spec: { templateParameters: { p: known, q: { typeUrl: 'type.googleapis.com/made.Up', value: new Uint8Array([1, 2]) } } },
        },
      ),
    ).toEqual([
      { path: 'metadata.deletion_timestamp', before: '', after: '"1970-01-01T00:00:00Z"' },
      {
        path: "spec.template_parameters['p']",
        before: '',
        after: '{"value":"x","@type":"type.googleapis.com/google.protobuf.StringValue"}',
      },
      { path: "spec.template_parameters['q']", before: '', after: '{"@type":"type.googleapis.com/made.Up","value":"AQI="}' },
    ]);
  });

  it('tell of secrets only that they changed', () => {
    const bmc = (password: string) => ({ spec: { bmc: { password } } });
    expect(diffHosts(bmc('<redacted>'), bmc('hunter2'))).toEqual([
      { path: 'spec.bmc.password', before: '"<redacted>"', after: '"<redacted>"' },
    ]);
    expect(diffHosts({}, bmc('hunter2'))).toEqual([{ path: 'spec.bmc.password', before: '', after: '"<redacted>"' }]);
    expect(diffHosts(bmc('hunter2'), {})).toEqual([{ path: 'spec.bmc.password', before: '"<redacted>"', after: '' }]);
    expect(diffHosts(bmc('<redacted>'), bmc('<redacted>'))).toEqual([]);
  });

  it('tell of secret bytes only that they changed', () => {
    const [before, after] = [create(HubSchema, {}), create(HubSchema, { kubeconfig: new TextEncoder().encode('canary'), ip: '10.0.0.1' })];
    const changes = diffMessages(HubSchema, before, after, { secretPaths: ['kubeconfig'] });
    expect(changes).toEqual([
      { path: 'kubeconfig', before: '', after: '"<redacted>"' },
      { path: 'ip', before: '', after: '"10.0.0.1"' },
    ]);
  });

  it('are cut to what a log can hold', () => {
    const [change] = diffHosts({}, { spec: { description: 'é'.repeat(5_000) } });
    expect(change?.after).toHaveLength(1_001);
    const labels = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 'v']));
    const changes = diffHosts({}, { metadata: { labels } });
    expect(changes).toHaveLength(201);
    expect(changes.at(-1)).toEqual({ path: '…', before: '', after: '"100 more"' });
  });

  it('have paths that a database can hold', () => {
    const [change] = diffHosts({}, { metadata: { labels: { 'a\0b\ud800': 'v' } } });
    expect(change?.path).toBe("metadata.labels['a\u{FFFD}b\u{FFFD}']");
  });

  it('are none exactly when the maps are equal, and never hold a secret', () => {
    const labels = fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 }), { maxKeys: 4, noNullPrototype: true });
    fc.assert(
      fc.property(labels, labels, fc.string({ minLength: 8 }), (left, right, password) => {
        const changes = diffHosts(
          { metadata: { labels: left } },
          { metadata: { labels: right }, spec: { bmc: { password: `canary${password}` } } },
        );
        const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
        const differing = [...keys].filter((key) => left[key] !== right[key]);
        expect(changes).toHaveLength(differing.length + 1);
        expect(JSON.stringify(changes)).not.toContain('canary');
      }),
    );
  });
});
