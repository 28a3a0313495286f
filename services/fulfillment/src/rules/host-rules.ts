import { clone, create } from '@bufbuild/protobuf';
import { type BMC, type Host, type HostNic, HostSchema, type HostSpec, HostStatusSchema } from '@quartermaster/api/private';
import type { Clock, FieldViolation } from '@quartermaster/kernel';
import {
  conditionViolations,
  kindRules,
  type Prepared,
  type Reference,
  type SentUpdate,
  unlessBetween,
  unlessShort,
} from '@quartermaster/objects';
import { withKeptDispute } from '../identity/dispute.ts';
import {
  bmcUrlViolations,
  ipViolations,
  macViolations,
  normalisedIp,
  normalisedMac,
  normalisedUuid,
  uuidViolations,
  webUrlViolations,
} from './addresses.ts';
import { withPasswordOfAddress } from './host-credentials.ts';
import { reservedHub } from './hub-of-objects.ts';
import type { ReferencePolicy } from './reference-policy.ts';
import { judgePair, pairViolation, type SecretPair } from './secret-pair.ts';
import { secretReferenceViolations } from './secret-shapes.ts';

/** Host and cluster are written together. */
export const assignedByMethod =
  'hosts are assigned and released by HostAssignments. Run: quartermaster claim CLUSTER NODE-SET, or quartermaster release CLUSTER';
const maxRackUnit = 100;
const maxNics = 256;

export interface HostRuleOptions {
  readonly references: ReferencePolicy;
  readonly clock: Pick<Clock, 'now'>;
}

export function hostRules({ references, clock }: HostRuleOptions) {
  const prepared = (before: Host | undefined, after: Host, update?: SentUpdate): Prepared<typeof HostSchema> => {
    const { object, violations } = withOnePassword(before, after);
    const [was, is] = [before?.spec?.bmc?.passwordRef, object.spec?.bmc?.passwordRef];
    const withCredentials = withPasswordOfAddress(before, object, update?.sends('spec.bmc.password_ref') ?? false, clock.now());
    return {
      object: withKeptDispute(before, withCredentials),
      violations: [...violations, ...references.violations('spec.bmc.password_ref', was, is)],
    };
  };
  return kindRules(HostSchema, {
    normalise(host) {
      if (host.spec !== undefined) normaliseSpec(host.spec);
      // Filters ask for fields of the status, and an unset message has none.
      host.status ??= create(HostStatusSchema);
    },
    validate: ({ spec, status }, before) => [
      ...(spec === undefined ? [] : specViolations(spec, before?.spec)),
      ...conditionViolations('status.conditions', status?.conditions ?? [], before?.status?.conditions),
    ],
    references(host, before) {
      const all: Reference[] = [
        { field: 'spec.class', kind: 'host_classes', value: host.spec?.class ?? '', isNameAllowed: true },
        { field: 'status.hub', kind: 'hubs', value: host.status?.hub ?? '', isNameAllowed: false },
        { field: 'status.host_pool', kind: 'host_pools', value: host.status?.hostPool ?? '', isNameAllowed: false },
      ];
      const old = [before?.spec?.class, before?.status?.hub, before?.status?.hostPool];
      return all.filter(({ value }, index) => value !== '' && value !== old[index]);
    },
    onCreate: (host) => prepared(undefined, host),
    onUpdate(before, after, _referenced, update) {
      const { object, violations } = prepared(before, after, update);
      const isMoved = before.status?.cluster !== undefined && before.status.cluster !== '' && before.spec?.class !== object.spec?.class;
      if (!isMoved) return { object, violations };
      const description = `must stay "${before.spec?.class ?? ''}" while the host is assigned to cluster "${before.status?.cluster ?? ''}". ${releaseHint(before)}`;
      return { object, violations: [...violations, { field: 'spec.class', description }] };
    },
    onDelete(host) {
      const cluster = host.status?.cluster ?? '';
      return cluster === '' ? undefined : `it is assigned to cluster "${cluster}". ${releaseHint(host)}`;
    },
    outputOnly: [
      { pattern: 'status.cluster', wayOut: assignedByMethod },
      { pattern: 'status.source', wayOut: 'the source of a host is written by ApplyHosts' },
    ],
    reserved: [reservedHub],
    publicOutputOnly: [
      { pattern: 'status', wayOut: 'the status is written by the service' },
      { pattern: 'spec.class', wayOut: "the class of a host is its provider's business" },
    ],
    lateFields: [
      ...['bmc', 'bmc.password_ref', 'rack', 'class', 'boot_mac', 'boot_ip', 'title', 'description', 'bcm_link'].map(
        (name) => `spec.${name}`,
      ),
      ...['serial', 'system_uuid', 'nics', 'rack_unit', 'rack_height', 'link'].map((name) => `spec.${name}`),
      'status.hub',
    ],
  });
}

const releaseHint = ({ id, metadata, status }: Host): string =>
  `Run: quartermaster release ${status?.cluster ?? ''} --host ${metadata?.name || id}`;

/** In place. */
export function normaliseSpec(spec: HostSpec): void {
  spec.bootMac = normalisedMac(spec.bootMac);
  spec.bootIp = normalisedIp(spec.bootIp);
  spec.systemUuid = normalisedUuid(spec.systemUuid);
  spec.serial = spec.serial.trim();
  spec.rack = spec.rack.trim();
  for (const nic of spec.nics) nic.mac = normalisedMac(nic.mac);
}

function specViolations(spec: HostSpec, before: HostSpec | undefined): FieldViolation[] {
  return [
    ...unlessShort('spec.rack', spec.rack, 253),
    ...unlessBetween('spec.rack_unit', spec.rackUnit, 0, maxRackUnit),
    ...unlessBetween('spec.rack_height', spec.rackHeight, 0, maxRackUnit),
    ...unlessShort('spec.title', spec.title, 256),
    ...unlessShort('spec.serial', spec.serial, 128),
    ...unlessShort('spec.bcm_link', spec.bcmLink, 2048),
    ...webUrlViolations('spec.link', spec.link),
    ...macViolations('spec.boot_mac', spec.bootMac),
    ...ipViolations('spec.boot_ip', spec.bootIp),
    ...uuidViolations('spec.system_uuid', spec.systemUuid),
    ...nicViolations(spec.nics),
    ...(spec.bmc === undefined ? [] : bmcViolations(spec.bmc, before?.bmc)),
  ];
}

function nicViolations(nics: readonly HostNic[]): FieldViolation[] {
  if (nics.length > maxNics)
    return [{ field: 'spec.nics', description: `must not have more than ${maxNics} entries, and has ${nics.length}` }];
  const seen = new Set<string>();
  return nics.flatMap(({ mac, name, speedMbps }, index) => {
    const field = `spec.nics.${index}`;
    const violations = [...macViolations(`${field}.mac`, mac), ...unlessShort(`${field}.name`, name, 64)];
    if (mac === '') violations.push({ field: `${field}.mac`, description: 'must be set: it identifies the interface' });
    else if (seen.has(mac)) violations.push({ field: `${field}.mac`, description: `must not repeat "${mac}": list each interface once` });
    if (speedMbps < 0n) violations.push({ field: `${field}.speed_mbps`, description: 'must not be negative; 0 stands for unknown' });
    seen.add(mac);
    return violations;
  });
}

function bmcViolations(bmc: BMC, before: BMC | undefined): FieldViolation[] {
  return [
    ...(bmc.url === before?.url ? [] : bmcUrlViolations('spec.bmc.url', bmc.url)),
    ...unlessShort('spec.bmc.user', bmc.user, 256),
    ...(bmc.password.length > 1024 ? [{ field: 'spec.bmc.password', description: 'must not be longer than 1024 characters' }] : []),
    ...secretReferenceViolations('spec.bmc.password_ref', bmc.passwordRef),
  ];
}

const passwordPair = (host: Host): SecretPair => ({
  value: host.spec?.bmc?.password ?? '',
  hasReference: host.spec?.bmc?.passwordRef !== undefined,
});

function withOnePassword(before: Host | undefined, after: Host): Prepared<typeof HostSchema> {
  const verdict = judgePair(before === undefined ? undefined : passwordPair(before), passwordPair(after));
  if (verdict === 'fine') return { object: after, violations: [] };
  if (verdict === 'refuse') return { object: after, violations: [pairViolation('spec.bmc.password', 'spec.bmc.password_ref')] };
  const object = clone(HostSchema, after);
  if (verdict === 'drop value' && object.spec?.bmc !== undefined) object.spec.bmc.password = '';
  if (verdict === 'drop reference') delete object.spec?.bmc?.passwordRef;
  return { object, violations: [] };
}
