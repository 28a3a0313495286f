import * as pub from '@quartermaster/api/fulfillment';
import { type Host, HostSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind } from '@quartermaster/objects';
import { isDisputed } from '../identity/dispute.ts';
import { type HostRuleOptions, hostRules, withholdFromHost } from '../rules/index.ts';
import { lackOf } from './host-lack.ts';
import { lastSeen } from './last-seen.ts';
import { tenantProjection } from './tenant-projection.ts';

export const hostKind = (options: HostRuleOptions) =>
  defineKind(HostSchema, {
    metadata: MetadataSchema,
    columns: {
      class: { path: 'spec.class', form: 'text' },
      rack: { path: 'spec.rack', form: 'text' },
      rack_unit: { path: 'spec.rack_unit', form: 'bigint' },
      rack_height: { path: 'spec.rack_height', form: 'bigint' },
      serial: { path: 'spec.serial', form: 'text' },
      system_uuid: { path: 'spec.system_uuid', form: 'text' },
      boot_mac: { path: 'spec.boot_mac', form: 'text' },
      boot_ip: { path: 'spec.boot_ip', form: 'text' },
      cluster: { path: 'status.cluster', form: 'text' },
      hub: { path: 'status.hub', form: 'text' },
      host_pool: { path: 'status.host_pool', form: 'text' },
      source: { path: 'status.source.name', form: 'text' },
      state: { path: 'status.state', form: 'bigint' },
      macs: {
        path: 'spec.nics.*.mac',
        form: 'text[]',
        of: (host: Host) => (host.spec?.nics ?? []).map(({ mac }) => mac).filter((mac) => mac !== ''),
      },
      is_disputed: { form: 'boolean', of: isDisputed },
      // A claim passes over it and says why.
      lacks: { form: 'text', of: lackOf },
    },
    rules: hostRules(options),
    usedBy: [],
    projection: tenantProjection(pub.HostSchema, HostSchema),
    seenThrough: { kind: 'clusters', path: 'status.cluster' },
    withhold: (host: Host) => withholdFromHost(host, options.references),
    withheldBy: () => options.references.allowed,
    beside: lastSeen,
    unfilterable: ['status.source.last_seen'],
  });
