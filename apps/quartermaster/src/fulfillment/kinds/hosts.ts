import type { JsonObject } from '@bufbuild/protobuf';
import { hostState, powerWords } from '@quartermaster/api/states';
import { Option } from 'commander';
import { contentIfNamed } from '../../server/content-of.ts';
import { presentFields, textAt } from '../../text/json-path.ts';
import { age, common, name, nothing, reference, state, text } from './columns.ts';
import { type CreateFlags, type Kind, type KindCreation, namesOfKind } from './kind.ts';

interface CreateHostFlags extends CreateFlags {
  readonly class?: string | undefined;
  readonly rack?: string | undefined;
  readonly title?: string | undefined;
  readonly bootMac?: string | undefined;
  readonly bootIp?: string | undefined;
  readonly bmcUrl?: string | undefined;
  readonly bmcUser?: string | undefined;
  readonly bmcPasswordFile?: string | undefined;
}

const creation: KindCreation<CreateHostFlags> = {
  summary: 'A host.',
  options: [
    new Option('--class <name>', 'host class'),
    new Option('--rack <name>', 'rack of the host'),
    new Option('--title <text>', 'title to display'),
    new Option('--boot-mac <mac>', 'MAC address of the boot interface'),
    new Option('--boot-ip <address>', 'IP address of the boot interface'),
    new Option('--bmc-url <url>', 'URL of the management controller (BMC)'),
    new Option('--bmc-user <name>', 'user of the BMC'),
    new Option('--bmc-password-file <file>', 'file with the password of the BMC user'),
  ],
  fields: ({ class: hostClass, rack, title, bootMac, bootIp, bmcUrl, bmcUser, bmcPasswordFile }) => {
    const bmc = presentFields({ url: bmcUrl, user: bmcUser, password: contentIfNamed(bmcPasswordFile, '--bmc-password-file') });
    const bmcIfAny = Object.keys(bmc).length === 0 ? undefined : bmc;
    return { spec: presentFields({ class: hostClass, rack, title, boot_mac: bootMac, boot_ip: bootIp, bmc: bmcIfAny }) };
  },
};

export const hosts: Kind = {
  ...namesOfKind('Host'),
  hasSecrets: true,
  summary: 'Hosts: machines in racks, and the clusters that they are assigned to.',
  columns: [
    name,
    reference('CLASS', 'spec.class', 'host-classes'),
    { header: 'RACK', isPrivate: true, cell: rackText },
    state(hostState),
    { header: 'POWER', cell: powerWords },
    reference('CLUSTER', 'status.cluster', 'clusters'),
    text('SOURCE', 'status.source.name', { isPrivate: true }),
    age,
    ...common,
    text('SERIAL', 'spec.serial', { isWide: true, isPrivate: true }),
    text('BOOT MAC', 'spec.boot_mac', { isWide: true, isPrivate: true }),
    text('BMC', 'spec.bmc.url', { isWide: true, isPrivate: true }),
    reference('HUB', 'status.hub', 'hubs', { isWide: true, isPrivate: true }),
  ],
  stateOf: hostState,
  references: [
    ['spec.class', 'host-classes'],
    ['status.cluster', 'clusters'],
    ['status.hub', 'hubs'],
  ],
  creation,
};

function rackText(object: JsonObject): string {
  const [rack, unit] = [textAt(object, 'spec.rack'), textAt(object, 'spec.rack_unit')];
  return rack === '' ? nothing : unit === '' ? rack : `${rack} U${unit}`;
}
