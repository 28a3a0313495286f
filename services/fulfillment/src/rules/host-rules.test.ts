import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Host, HostSchema, type SecretReferenceSchema } from '@quartermaster/api/private';
import { redacted } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessage } from '../../test/arbitrary-message.ts';
import { testRules } from '../../test/test-rules.ts';
import { hostRules as rulesOf } from './host-rules.ts';
import { ReferencePolicy } from './reference-policy.ts';

const nothingSent = { sends: () => false, secrets: new Map<string, Uint8Array>() };

const hostRules = rulesOf({ ...testRules, references: new ReferencePolicy({ directories: ['/'], secrets: ['*/*'] }) });

type Spec = NonNullable<MessageInitShape<typeof HostSchema>['spec']>;

const host = (spec: Spec): Host => hostRules.normalise(create(HostSchema, { spec }));
const fieldsOf = (spec: Spec): string[] => hostRules.validate(host(spec)).map(({ field }) => field);

describe('a host', () => {
  it.each([
    ['B8:3F:D2:00:00:01', 'b8:3f:d2:00:00:01'],
    ['b8-3f-d2-00-00-01', 'b8:3f:d2:00:00:01'],
    ['b83f.d200.0001', 'b8:3f:d2:00:00:01'],
    ['b83fd2000001', 'b8:3f:d2:00:00:01'],
    ['0123456789ABCDEF', '01:23:45:67:89:ab:cd:ef'],
  ])('reads the MAC address %s', (given, stored) => {
    expect(host({ bootMac: given, nics: [{ mac: given }] }).spec).toMatchObject({ bootMac: stored, nics: [{ mac: stored }] });
    expect(fieldsOf({ bootMac: given, nics: [{ mac: given }] })).toEqual([]);
  });

  it.each(['b8:3f:d2:00:00', 'b8:3f:d2:00:00:0g', '00:00:00:00:00:00', 'eth0', 'b8:3f:d2:00:00:01:02'])(
    'refuses the MAC address %s',
    (mac) => {
      expect(fieldsOf({ bootMac: mac, nics: [{ mac }] })).toEqual(['spec.boot_mac', 'spec.nics.0.mac']);
    },
  );

  it.each([
    ['192.0.2.10', '192.0.2.10'],
    ['2001:DB8:0:0::10', '2001:db8::10'],
    [' ::1 ', '::1'],
  ])('reads the address %s', (given, stored) => {
    expect(host({ bootIp: given }).spec?.bootIp).toBe(stored);
    expect(fieldsOf({ bootIp: given })).toEqual([]);
  });

  it.each(['192.0.2.10/24', '192.0.2', 'fe80::1%eth0', '300.1.1.1', 'host.example'])('refuses the address %s', (bootIp) => {
    expect(fieldsOf({ bootIp })).toEqual(['spec.boot_ip']);
  });

  it.each([
    'redfish-virtualmedia://10.0.0.1/redfish/v1/Systems/1',
    'redfish-virtualmedia+https://[2001:db8::1]:8443/redfish/v1/Systems/1',
    'redfish+http://bmc.example/redfish/v1/Systems/1',
    'idrac-virtualmedia+https://10.0.0.1/',
    'ipmi://10.0.0.1:6230',
    'https://10.0.0.1/redfish/v1/Systems/1',
  ])('accepts the controller %s', (url) => {
    expect(fieldsOf({ bmc: { url } })).toEqual([]);
  });

  it.each([
    '10.0.0.1',
    'ftp://10.0.0.1',
    'redfish:///Systems/1',
    'redfish://',
    'not a url',
    'ipmi+https://10.0.0.1',
    'redfish+https://192.168.010.1/x',
    'ipmi://0x7f.1',
    'redfish://10.0.0.1//evil',
    'https://[0:0::1]/',
    'redfish://ho%73t/',
  ])('refuses the controller %s', (url) => {
    expect(fieldsOf({ bmc: { url } })).toEqual(['spec.bmc.url']);
  });

  it('refuses credentials in a URL, and does not repeat them', () => {
    for (const spec of [{ bmc: { url: 'redfish://root:canary-1@10.0.0.1/x' } }, { link: 'https://u:canary-1@example.com' }]) {
      const [violation] = hostRules.validate(host(spec));
      expect(violation?.description).toContain('must not contain a user or password');
      expect(JSON.stringify(violation)).not.toContain('canary-1');
    }
  });

  it.each([
    ['4C4C4544-0042-3010-8044-B3C04F4E5A32', '4c4c4544-0042-3010-8044-b3c04f4e5a32'],
    ['{4c4c4544-0042-3010-8044-b3c04f4e5a32}', '4c4c4544-0042-3010-8044-b3c04f4e5a32'],
    ['4c4c4544004230108044b3c04f4e5a32', '4c4c4544-0042-3010-8044-b3c04f4e5a32'],
  ])('reads the UUID %s', (given, stored) => {
    expect(host({ systemUuid: given }).spec?.systemUuid).toBe(stored);
  });

  it.each(['nonsense', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])(
    'refuses the UUID %s',
    (systemUuid) => {
      expect(fieldsOf({ systemUuid })).toEqual(['spec.system_uuid']);
    },
  );

  it('refuses interfaces without address, twice the same, and what has no sense', () => {
    const mac = 'b8:3f:d2:00:00:01';
    expect(fieldsOf({ nics: [{ name: 'a' }, { mac }, { mac: mac.toUpperCase() }, { mac: 'b8:3f:d2:00:00:02', speedMbps: -1n }] })).toEqual([
      'spec.nics.0.mac',
      'spec.nics.2.mac',
      'spec.nics.3.speed_mbps',
    ]);
    expect(fieldsOf({ rackUnit: -1, rackHeight: 101, title: 'a\nb' })).toEqual(['spec.rack_unit', 'spec.rack_height', 'spec.title']);
  });

  it('has one condition of each type', () => {
    const violations = hostRules.validate(create(HostSchema, { status: { conditions: [{ type: 2 }, { type: 1 }, { type: 2 }] } }));
    expect(violations.map(({ field }) => field)).toEqual(['status.conditions.2.type']);
  });

  it('checks references to secrets', () => {
    const reference = (passwordRef: MessageInitShape<typeof SecretReferenceSchema>): string[] => fieldsOf({ bmc: { passwordRef } });
    expect(reference({ source: { case: 'file', value: '/run/secrets/bmc' } })).toEqual([]);
    expect(reference({ source: { case: 'file', value: '/run/../etc/shadow' } })).toEqual(['spec.bmc.password_ref.file']);
    expect(reference({ source: { case: 'kubernetesSecret', value: { namespace: 'a', name: 'b', key: 'c' } } })).toEqual([]);
    expect(reference({ source: { case: 'kubernetesSecret', value: { name: 'B' } } })).toHaveLength(3);
    expect(reference({})).toEqual(['spec.bmc.password_ref']);
  });

  it('has a password or a reference to one: what an update brings replaces the other', () => {
    const ref = { source: { case: 'file', value: '/p' } } as const;
    const make = (password: string, hasRef: boolean): Host =>
      create(HostSchema, { spec: { bmc: hasRef ? { password, passwordRef: ref } : { password } } });
    expect(hostRules.onCreate(make('p', true), new Map()).violations.map(({ field }) => field)).toEqual(['spec.bmc.password_ref']);
    expect(hostRules.onUpdate(make(redacted, false), make(redacted, true), new Map(), nothingSent).object).toEqual(make('', true));
    expect(hostRules.onUpdate(make('', true), make('new', true), new Map(), nothingSent).object).toEqual(make('new', false));
    expect(hostRules.onUpdate(make('', false), make('new', true), new Map(), nothingSent).violations).toHaveLength(1);
    expect(hostRules.onUpdate(make('', false), make('new', false), new Map(), nothingSent)).toEqual({
      object: make('new', false),
      violations: [],
    });
  });

  it('keeps its class and cannot be deleted while it is assigned', () => {
    const assigned = create(HostSchema, { spec: { class: 'a' }, status: { cluster: 'c' } });
    const moved = create(HostSchema, { spec: { class: 'b' }, status: { cluster: 'c' } });
    expect(hostRules.onUpdate(assigned, moved, new Map(), nothingSent).violations).toMatchObject([{ field: 'spec.class' }]);
    expect(hostRules.onDelete(assigned)).toMatch(/Run: quartermaster release c --host /);
    expect(hostRules.onDelete(create(HostSchema))).toBeUndefined();
  });

  it('refers to its class by id or name, and to hubs by id; of an update only what changed', () => {
    const before = create(HostSchema, { spec: { class: 'a' }, status: { hub: 'h' } });
    const after = create(HostSchema, { spec: { class: 'gold' }, status: { hub: 'h' } });
    expect(hostRules.references(before)).toMatchObject([
      { field: 'spec.class', kind: 'host_classes', isNameAllowed: true },
      { field: 'status.hub', kind: 'hubs', isNameAllowed: false },
    ]);
    expect(hostRules.references(after, before)).toMatchObject([{ field: 'spec.class', value: 'gold' }]);
  });

  it('normalises to something that normalising does not change, and always has a status', () => {
    fc.assert(
      fc.property(arbitraryMessage(HostSchema), (object) => {
        const once = hostRules.normalise(object);
        expect(hostRules.normalise(once)).toEqual(once);
        expect(once.status).toBeDefined();
      }),
    );
  });

  it('reads a MAC address in any spelling as the same', () => {
    const octets = fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(octets, fc.constantFrom(':', '-', ''), fc.boolean(), (bytes, separator, isUpper) => {
        const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
        const text = hex.join(separator);
        expect(host({ bootMac: isUpper ? text.toUpperCase() : text }).spec?.bootMac).toBe(hex.join(':'));
      }),
    );
  });
});
